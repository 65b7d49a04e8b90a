// Signs a transfer of 1 hash from account 8 of the development chain to account 9, and prints it in base64, ready to be sent.
import { stringToPath } from '@cosmjs/crypto';
import { DirectSecp256k1HdWallet } from '@cosmjs/proto-signing';
import { coins, SigningStargateClient } from '@cosmjs/stargate';
import { TxRaw } from 'cosmjs-types/cosmos/tx/v1beta1/tx';

const mnemonic = 'test test test test test test test test test test test junk';
const stele = process.argv[2] ?? 'http://localhost:4000/graphql';

const hdPaths = [8, 9].map((index) => stringToPath(`m/44'/1'/0'/0/${index}`));
const wallet = await DirectSecp256k1HdWallet.fromMnemonic(mnemonic, { prefix: 'tp', hdPaths });
const [from, to] = (await wallet.getAccounts()).map(({ address }) => address);

const query = `{
  module(method: "cosmos.auth.v1beta1.Query/Account", request: { address: "${from}" })
  head { header { chainId } }
}`;
// The client that every developer has.
const grant = { client_id: 'devnet', client_secret: 'devnet', grant_type: 'client_credentials' };
const issued = await fetch(new URL('/oauth/token', stele), { method: 'POST', body: new URLSearchParams(grant) });
const authorization = `Bearer ${(await issued.json()).access_token}`;
const answer = await fetch(`${stele}?query=${encodeURIComponent(query)}`, { headers: { authorization } });
const { module, head } = (await answer.json()).data;

const transfer = {
  typeUrl: '/cosmos.bank.v1beta1.MsgSend',
  value: { fromAddress: from, toAddress: to, amount: coins(1_000_000_000, 'nhash') },
};
const fee = { amount: coins(1_000_000_000, 'nhash'), gas: '1000000' };
const client = await SigningStargateClient.offline(wallet);
const signed = await client.sign(from, [transfer], fee, '', {
  accountNumber: BigInt(module.account.accountNumber),
  sequence: Number(module.account.sequence),
  chainId: head.header.chainId,
});
process.stdout.write(Buffer.from(TxRaw.encode(signed).finish()).toString('base64'));
