package io.sluice.client.read;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.proto.OpenReply;
import io.sluice.transport.client.DataConnection;
import io.sluice.transport.client.FetchedBody;
import java.util.List;

/** Something that another thread reports; handled by the task thread. */
sealed interface ReadEvent {
  /** Frees what it owns. */
  default void dispose() {}

  record Connected(ReadServer server, DataConnection connection, Throwable failure)
      implements ReadEvent {}

  record Opened(
      ReadServer server,
      List<PartitionVisit> visits,
      DataConnection connection,
      OpenReply reply,
      Throwable failure)
      implements ReadEvent {}

  /**
   * @param question that this answers
   * @param newest null: nobody could say
   */
  record Learnt(int question, ShuffleAssignment newest) implements ReadEvent {}

  /**
   * @param connection that was asked; null when the bytes were to be read from files
   * @param nanos from sending the request to its reply
   */
  record Fetched(
      ReadServer server,
      Slice slice,
      DataConnection connection,
      FetchedBody body,
      Throwable failure,
      long nanos)
      implements ReadEvent {
    @Override
    public void dispose() {
      if (body != null) {
        body.close();
      }
    }
  }
}
