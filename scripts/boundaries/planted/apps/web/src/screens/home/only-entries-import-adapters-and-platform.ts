import '../../platform/disk.ts';
