/**
 * Server side of the data protocol over its two transports, framed TCP and gRPC. {@link
 * io.sluice.transport.server.ServerConnection} translates frames into calls of {@link
 * io.sluice.transport.server.DataService} and replies into frames, for both transports; a {@link
 * io.sluice.transport.server.TransportConnection} sends and receives bytes. A connection is
 * confined to one serial executor: its event loop, or that of its gRPC call. Only shuffle servers
 * depend on this package.
 */
package io.sluice.transport.server;
