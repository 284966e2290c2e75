import type { FastifyRequest } from 'fastify';

export type Leak = FastifyRequest;
