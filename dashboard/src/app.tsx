import { useEffect } from 'preact/hooks';
import { lazyPart } from './components/page/lazyPart.tsx';
import { PageSkeleton } from './components/page/Skeleton.tsx';
import { access, endLogin, isReturning } from './data/session.ts';
import { texts } from './language/language.ts';
import { Footer } from './shell/Footer.tsx';
import { Header } from './shell/Header.tsx';
import { HeightBar } from './shell/HeightBar.tsx';
import { Trouble } from './shell/Trouble.tsx';
import { View } from './View.tsx';

/** What a visitor without a token sees. */
const SignIn = lazyPart(async () => (await import('./shell/SignIn.tsx')).SignIn);

/** The whole page: the header, the block that it shows, what is wrong, and the view of the path. */
export function App() {
  const now = access.value;
  const refusal = now === 'asking' || now === 'granted' || now === 'public' ? undefined : now;
  useEffect(() => {
    if (isReturning.value) void endLogin();
  }, []);
  return (
    <>
      <a class="skip" href="#main">
        {texts.value.shell.skip}
      </a>
      <Header />
      {refusal !== undefined || isReturning.value ? null : <HeightBar />}
      {refusal !== undefined || isReturning.value ? null : <Trouble />}
      <main id="main" tabIndex={-1}>
        {refusal !== undefined ? <SignIn access={refusal} /> : isReturning.value ? <PageSkeleton /> : <View />}
      </main>
      <Footer />
    </>
  );
}
