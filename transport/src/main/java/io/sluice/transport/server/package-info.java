/**
 * The data protocol over its two carriers, framed TCP and gRPC. {@link
 * io.sluice.transport.server.ServerConnection} turns frames into calls of {@link
 * io.sluice.transport.service.DataService} and answers into frames, the same for both; a carrier
 * moves bytes. A connection belongs to one serial executor: its event loop, or its gRPC call's.
 */
package io.sluice.transport.server;
