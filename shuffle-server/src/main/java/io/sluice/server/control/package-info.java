/**
 * The control calls of a shuffle server and what it says about itself. Called from gRPC threads;
 * stateless beside the store that it reads.
 */
package io.sluice.server.control;
