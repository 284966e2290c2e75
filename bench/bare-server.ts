// The reference of bench/api: a Fastify route that returns a constant.
import Fastify from 'fastify';

const app = Fastify();
app.get('/', async () => ({ answer: 'constant' }));
console.log(await app.listen({ host: '127.0.0.1', port: 0 }));
