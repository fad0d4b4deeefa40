/**
 * What a file system must offer to be a server's coldest tier. Implementations come from outside:
 * {@link io.sluice.server.remote.spi.RemoteFileSystemProvider} is looked up in a class loader of
 * its own, only when a server is told to use a tier. This package and SLF4J are all that an
 * implementation shares with the server, so it names nothing but the JDK.
 *
 * <p>Every call may wait for a network, for minutes perhaps; the server calls from threads that
 * nobody waits for.
 */
package io.sluice.server.remote.spi;
