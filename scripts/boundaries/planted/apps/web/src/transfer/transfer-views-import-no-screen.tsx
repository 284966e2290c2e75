import '../sharing/sharing.tsx';
