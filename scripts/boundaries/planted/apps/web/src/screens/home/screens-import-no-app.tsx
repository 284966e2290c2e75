import '../../app/app.tsx';
