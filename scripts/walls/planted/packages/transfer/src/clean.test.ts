import '../testing/fake.ts';
