/**
 * Code shared by client and server side of the data protocol: the header and heads of frames,
 * receivers, and the handshake (HELLO, CHALLENGE, PROOF). Receivers split the bytes of a socket, or
 * the messages of a gRPC stream, into frames. A receiver is confined to the executor of its
 * connection.
 */
package io.sluice.transport.protocol;
