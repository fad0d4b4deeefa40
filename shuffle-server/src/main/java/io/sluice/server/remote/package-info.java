/**
 * The third tier: a remote file system behind the interface of a local directory. {@link
 * io.sluice.server.remote.RemoteStorage} is a {@link io.sluice.server.disk.Storage} whose channels
 * read and write through {@link io.sluice.server.remote.spi}; other code of the server does not
 * distinguish its runs from others. {@link io.sluice.server.remote.RemoteFileSystems} loads an
 * implementation on demand, so that a server without the tier loads none.
 *
 * <p>Calls wait for the network; only the threads of the tier's disk make them.
 */
package io.sluice.server.remote;
