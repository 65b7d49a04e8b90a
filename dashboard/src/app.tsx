import { access } from './data/session.ts';
import { Footer } from './shell/Footer.tsx';
import { Header } from './shell/Header.tsx';
import { HeightBar } from './shell/HeightBar.tsx';
import { SignIn } from './shell/SignIn.tsx';
import { Trouble } from './shell/Trouble.tsx';
import { View } from './View.tsx';

/** The whole page: the header, the block that it shows, what is wrong, and the view of the path. */
export function App() {
  const isOut = access.value === 'none' || access.value === 'expired';
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <Header />
      {isOut ? null : <HeightBar />}
      {isOut ? null : <Trouble />}
      <main id="main" tabIndex={-1}>
        {isOut ? <SignIn isExpired={access.value === 'expired'} /> : <View />}
      </main>
      <Footer />
    </>
  );
}
