/**
 * The server end of the data protocol over its two transports, framed TCP and gRPC. {@link
 * io.sluice.transport.server.ServerConnection} turns frames into calls of {@link
 * io.sluice.transport.server.DataService} and answers into frames, the same for both; a {@link
 * io.sluice.transport.server.TransportConnection} moves bytes. A connection belongs to one serial
 * executor: its event loop, or its gRPC call's. Only shuffle servers depend on it.
 */
package io.sluice.transport.server;
