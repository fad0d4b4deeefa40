/**
 * A server that leaves hands on what it holds: every shuffle is copied to another server, drivers
 * are told through the coordinators, and only then does the server end ({@code
 * docs/decisions/0014-a-leaving-server-copies.md}). Threads run only while a move is under way.
 */
package io.sluice.server.move;
