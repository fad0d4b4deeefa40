package io.sluice.client.file;

import io.sluice.proto.ServerId;
import io.sluice.proto.ShuffleId;
import java.util.Objects;

/**
 * Who named a run file, and in which of its lives.
 *
 * @param localSocket where the server hands out descriptors; empty: nowhere
 */
public record RunFileSource(ServerId server, String localSocket, ShuffleId shuffle, long epoch) {
  /** For the same reason as {@link NamedRunFile}: not those of messages. */
  @Override
  public int hashCode() {
    return Objects.hash(server.getName(), shuffle.getApplication(), shuffle.getShuffle(), epoch);
  }
}
