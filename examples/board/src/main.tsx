import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Provider } from 'urql';
import { App } from './App.tsx';
import { stele } from './stele.ts';
import './style.css';

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no element #root.');
createRoot(root).render(
  <StrictMode>
    <Provider value={stele}>
      <App />
    </Provider>
  </StrictMode>,
);
