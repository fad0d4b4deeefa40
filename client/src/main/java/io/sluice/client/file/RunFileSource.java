package io.sluice.client.file;

import io.sluice.proto.ServerId;
import io.sluice.proto.ShuffleId;
import java.util.Objects;

/**
 * The server of a run file, in one of its epochs, and the shuffle of the file.
 *
 * @param localSocket path of the socket over which the server passes descriptors; empty: none
 */
public record RunFileSource(ServerId server, String localSocket, ShuffleId shuffle, long epoch) {
  /** Hashes fields instead of messages, for the reason in {@link NamedRunFile}. */
  @Override
  public int hashCode() {
    return Objects.hash(server.getName(), shuffle.getApplication(), shuffle.getShuffle(), epoch);
  }
}
