import { useEffect } from 'preact/hooks';
import { PageSkeleton } from './components/page/Skeleton.tsx';
import { access, endLogin, isReturning } from './data/session.ts';
import { Footer } from './shell/Footer.tsx';
import { Header } from './shell/Header.tsx';
import { HeightBar } from './shell/HeightBar.tsx';
import { SignIn } from './shell/SignIn.tsx';
import { Trouble } from './shell/Trouble.tsx';
import { View } from './View.tsx';

/** The whole page: the header, the block that it shows, what is wrong, and the view of the path. */
export function App() {
  const isOut = access.value === 'none' || access.value === 'expired';
  useEffect(() => {
    if (isReturning.value) void endLogin();
  }, []);
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <Header />
      {isOut || isReturning.value ? null : <HeightBar />}
      {isOut || isReturning.value ? null : <Trouble />}
      <main id="main" tabIndex={-1}>
        {isOut ? <SignIn isExpired={access.value === 'expired'} /> : isReturning.value ? <PageSkeleton /> : <View />}
      </main>
      <Footer />
    </>
  );
}
