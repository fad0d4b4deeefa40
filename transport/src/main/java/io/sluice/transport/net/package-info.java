/**
 * Receiving frames: the receivers that cut the bytes of a socket or the messages of a gRPC stream
 * into frames, and the gRPC method that frames travel in. A receiver belongs to the executor of its
 * connection. Both ends use it; it knows nothing of either.
 */
package io.sluice.transport.net;
