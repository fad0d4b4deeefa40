package io.sluice.server.service;

/**
 * The connection that a request came over, after its HELLO.
 *
 * @param application the application that the connection works for
 * @param client who calls, for logs
 * @param peer remote address, for logs
 */
public record ClientConnection(String application, String client, String peer) {}
