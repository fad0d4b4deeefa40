/**
 * The third tier: a remote file system behind the interface of a local directory. {@link
 * io.sluice.server.remote.RemoteStorage} is a {@link io.sluice.server.disk.Storage} whose channels
 * read and write through {@link io.sluice.server.remote.spi}; all else in the server treats its
 * runs as any others. {@link io.sluice.server.remote.RemoteFileSystems} finds an implementation
 * when one is asked for, so that a server without the tier loads none of it.
 *
 * <p>Calls wait for the network; they belong on the threads of the tier's disk.
 */
package io.sluice.server.remote;
