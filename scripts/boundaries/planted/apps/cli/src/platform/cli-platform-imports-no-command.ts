import '../commands/send.ts';
