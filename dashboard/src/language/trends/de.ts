import type { en } from './en.ts';

/** The texts of charts of participation, treasuries and holders, in German. */
export const de: typeof en = {
  reading: 'Wird gelesen…',
  failed: (reason) => `Es kann nicht gelesen werden: ${reason}`,
  noArchive: 'Dieser Server hat kein Archiv und kennt frühere Anträge deshalb nicht.',
  turnout: {
    title: 'Teilnahme im Lauf der Zeit',
    span: 'Wie viele abgeschlossene Anträge gelesen werden',
    last: (number) => `Die letzten ${number}`,
    ask: 'Gelesen wird erst nach der Wahl.',
    wholeGroup: 'Die ganze Gruppe',
    none: 'Von keinem der gelesenen Anträge ist die Beteiligung bekannt.',
    chart: (number) => `Beteiligung und Teilnahme in Prozent: ${number}`,
    turnoutLine: 'Beteiligung nach Gewicht (%)',
    membersLine: 'Mitglieder, die abgestimmt haben (%)',
    note: (read) =>
      `${read} mit einem Ergebnis, jeder zur Zeit seiner Einreichung. Die Beteiligung ist das Gewicht, das bis zum Ende abgestimmt hatte, in Prozent des damaligen Gewichts der Gruppe.`,
    noTally: (number) => `${number} ohne Ergebnis: zurückgezogen oder abgebrochen.`,
    unknown: (number) => `Beteiligung nicht bekannt: ${number}.`,
    older: 'Es gibt ältere.',
    memberChart: (name, number) => `Anteil der Anträge, bei denen ${name} abgestimmt hat, in Prozent: ${number}`,
    memberLine: 'Bisher abgestimmt (%)',
    memberNone: 'Es konnte bei keinem davon abstimmen.',
    voted: 'abgestimmt',
    missed: 'nicht abgestimmt',
    memberNote: (voted, read) =>
      `Abgestimmt: ${voted}. Gelesen: ${read}, die neuesten abgeschlossenen, bei denen es abstimmen konnte. Die Linie ist der Anteil bis zu jedem davon.`,
  },
  treasury: {
    title: 'Guthaben im Lauf der Zeit',
    nothing: 'Das Konto hielt in dieser Zeit nichts, und nichts wurde bewegt.',
    unchanged: (names) => `In dieser Zeit unverändert: ${names}.`,
    chart: (unit, changes) => `Das Guthaben in ${unit} im Lauf der Zeit, ${changes}`,
    cut: (height) => `Der älteste lesbare Block ist ${height}. Die Diagramme beginnen dort.`,
    unexplained: 'Einen Teil der Änderungen erklärt kein Ereignis. Das Diagramm zeigt ihre Zeit als nicht bekannt.',
    more: (number) => `${number} weitere haben sich geändert.`,
    statement: 'Der Auszug hat jede Änderung.',
    tooMany: 'Diese Zeit hat mehr als 5.000 Bewegungen. Wählen Sie eine kürzere.',
    noIndex: 'Kein Knoten hat einen Index der Transaktionen, und das Archiv zeichnet den Inhalt der Blöcke nicht auf.',
  },
  holders: {
    title: 'Verteilung',
    ask: 'Alle Inhaber lesen',
    askNote: (most) => `Höchstens ${most} werden gelesen, in Anfragen zu je 100.`,
    chart: (read) => `Der Anteil am Umlauf, den die größten von ${read} zusammen halten, in Prozent`,
    rank: 'Inhaber',
    together: 'Zusammen (%)',
    single: 'Allein (%)',
    head: (rank, name) => `${rank}. ${name}`,
    note: (read) =>
      `${read}, die größten zuerst. „Zusammen“ ist jeder mit allen größeren. Konten von Modulen und das Treuhandkonto eines Markers gehören dazu.`,
    partial: (read, rest) =>
      `Nur ${read} wurden gelesen, in der Reihenfolge ihrer Adressen. Die anderen halten ${rest} des Umlaufs; wer sie sind, ist nicht bekannt. Die größten von allen halten mindestens, was die Linie zeigt.`,
    largest: (share) => `Der größte: ${share}`,
    top: (number, share) => `Die größten ${number}: ${share}`,
    noSupply: 'Das Token hat keinen Umlauf.',
  },
};
