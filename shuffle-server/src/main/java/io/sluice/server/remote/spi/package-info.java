/**
 * The interface of a remote file system for the coldest tier of a server. {@link
 * io.sluice.server.remote.spi.RemoteFileSystemProvider} is loaded with a separate class loader, and
 * only if the remote tier is configured. An implementation shares only this package and SLF4J with
 * the server, so this package depends on the JDK only.
 *
 * <p>Every call may wait for the network, possibly for minutes; the server calls from background
 * threads.
 */
package io.sluice.server.remote.spi;
