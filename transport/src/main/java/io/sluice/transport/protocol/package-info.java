/**
 * What both ends of the data protocol share: the header and heads of frames, the receivers that cut
 * the bytes of a socket or the messages of a gRPC stream into frames, and the handshake (HELLO,
 * CHALLENGE, PROOF) of either side. A receiver belongs to the executor of its connection.
 */
package io.sluice.transport.protocol;
