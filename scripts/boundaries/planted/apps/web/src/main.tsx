import './app/app.tsx';
import './platform/disk.ts';
