package io.sluice.client.read;

import io.sluice.client.coordinator.ShuffleAssignment;
import io.sluice.proto.OpenReply;
import io.sluice.transport.client.DataConnection;
import io.sluice.transport.client.FetchedBody;
import java.util.List;

/** Result of a request, reported by another thread and handled by the task thread. */
sealed interface ReadEvent {
  /** Frees the buffers of the event. */
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
   * @param request number of the request
   * @param newest newest assignment; null if the request failed
   */
  record AssignmentReply(int request, ShuffleAssignment newest) implements ReadEvent {}

  /**
   * @param connection connection of the request; null if the slice is read from files
   * @param nanos time from the request to its reply
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
