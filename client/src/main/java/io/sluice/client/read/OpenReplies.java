package io.sluice.client.read;

import com.google.protobuf.ByteString;
import io.sluice.client.file.OpenRunFiles;
import io.sluice.client.read.MissingBlocks.Reason;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.OpenReply;
import io.sluice.proto.PartitionState;
import io.sluice.proto.Presence;
import io.sluice.transport.protocol.AttemptSets;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.roaringbitmap.longlong.Roaring64NavigableMap;

/**
 * Handles Open replies: ends visits without data, and determines the stretches that other visits
 * fetch. Owned by the task thread.
 */
final class OpenReplies {
  private final ShuffleReadRequest request;
  private final ReadProgress read;
  private final OpenRunFiles files;

  /**
   * What the partitions of a reply have in common.
   *
   * @param lostData whether the server has lost data since the assignment
   * @param completeAttempts sets of complete attempts, to which partitions refer by index
   */
  private record Opened(
      ReadServer server,
      boolean lostData,
      List<Roaring64NavigableMap> completeAttempts,
      StretchPlacement placement) {
    Roaring64NavigableMap complete(PartitionState partition) {
      int set = partition.getCompleteAttempts();
      return set >= 0 && set < completeAttempts.size()
          ? completeAttempts.get(set)
          : new Roaring64NavigableMap();
    }
  }

  /**
   * @param files borrows
   */
  OpenReplies(ShuffleReadRequest request, ReadProgress read, OpenRunFiles files) {
    this.request = request;
    this.read = read;
    this.files = files;
  }

  /**
   * Begins the visits of an Open request.
   *
   * @param wholeSinceEpoch oldest epoch of the server of which nothing acknowledged is missing
   */
  void handle(ReadServer server, OpenReply reply, long wholeSinceEpoch) throws SluiceException {
    List<PartitionVisit> visits = server.endOpening();
    if (reply.getPartitionsCount() != visits.size()) {
      throw new SluiceException(
          StatusCode.INTERNAL,
          "invalid Open reply: wrong number of partitions, server="
              + server.name()
              + " found="
              + reply.getPartitionsCount()
              + " expected="
              + visits.size());
    }
    server.opened(reply.getEpoch());
    boolean lostData = wholeSinceEpoch > server.server().getEpoch();
    List<Roaring64NavigableMap> sets = new ArrayList<>();
    for (ByteString set : reply.getAttemptSetsList()) {
      sets.add(attempts(server, set));
    }
    StretchPlacement placement =
        new StretchPlacement(
            reply, file -> files.mayOpen(server.source(request.assignment().shuffle()), file));
    Opened opened = new Opened(server, lostData, sets, placement);
    for (int i = 0; i < visits.size(); i++) {
      begin(opened, visits.get(i), reply.getPartitions(i));
    }
  }

  private static Roaring64NavigableMap attempts(ReadServer server, ByteString bytes)
      throws SluiceException {
    try {
      return AttemptSets.decode(bytes);
    } catch (IOException e) {
      throw new SluiceException(
          StatusCode.INTERNAL,
          "invalid Open reply: complete attempts, server=" + server.name() + ": " + e.getMessage(),
          e);
    }
  }

  private void begin(Opened opened, PartitionVisit visit, PartitionState found)
      throws SluiceException {
    if (found.getPartition() != visit.partition()) {
      throw new SluiceException(
          StatusCode.INTERNAL,
          "invalid Open reply: wrong partition, server="
              + opened.server().name()
              + " found="
              + found.getPartition()
              + " expected="
              + visit.partition());
    }
    if (opened.lostData() || found.getPresence() == Presence.DATA_LOST) {
      visit.progress().visitOthersAgain();
    }
    switch (found.getPresence()) {
      case PRESENT -> beginPresent(opened, visit, found);
      case PARTITION_EMPTY ->
          read.endVisit(visit, Reason.NEVER_WRITTEN, "the partition is empty on the server");
      case SHUFFLE_NEVER_WRITTEN ->
          read.endVisit(visit, Reason.NEVER_WRITTEN, "the shuffle was never written to the server");
      case SHUFFLE_EXPIRED ->
          read.endVisit(visit, Reason.EXPIRED, "the shuffle was unregistered or its lease ended");
      case DATA_LOST ->
          read.endVisit(visit, Reason.LOST, "the server has lost data since the assignment");
      case PRESENCE_UNSPECIFIED, UNRECOGNIZED ->
          read.endVisit(
              visit,
              Reason.NEVER_WRITTEN,
              "the server reports no reason why the partition is absent");
    }
  }

  private void beginPresent(Opened opened, PartitionVisit visit, PartitionState found)
      throws SluiceException {
    if (found.getLostCount() > 0) {
      visit.progress().lostAt(opened.server());
    }
    Roaring64NavigableMap complete = opened.complete(found);
    long absentAttempt = firstAbsent(visit.progress(), complete);
    if (absentAttempt >= 0) {
      visit.shortfall(
          opened.lostData() || found.getLostCount() > 0 ? Reason.LOST : Reason.INCOMPLETE,
          "attempt "
              + absentAttempt
              + " is not complete on the server"
              + (found.getLostCount() > 0 ? "; the server has lost blocks of the partition" : "")
              + (opened.lostData() ? "; the server has lost data since the assignment" : ""));
    }
    // Where one block was damaged there can be more: reads all, to name all at once.
    if (absentAttempt >= 0
        && visit.losses() == 0
        && !visit.progress().hasMoreServers()
        && (requestsNewerFirst(visit, complete) || endBeforeReading(visit, complete))) {
      return;
    }
    visit.opened(found, request, opened.placement());
    if (visit.isRead()) {
      read.endVisit(visit);
    } else {
      opened.server().beginVisit(visit);
    }
  }

  private static long firstAbsent(PartitionProgress progress, Roaring64NavigableMap complete) {
    ExpectedAttempts expected = progress.expected();
    for (int attemptIndex = 0; attemptIndex < expected.count(); attemptIndex++) {
      if (!progress.received().isWhole(attemptIndex)
          && !complete.contains(expected.attempt(attemptIndex))) {
        return expected.attempt(attemptIndex);
      }
    }
    return -1;
  }

  /**
   * Requests the newest assignment before the last known server is read, if that server lacks an
   * attempt that only a newly added server can have. The server is visited again after the reply.
   */
  private boolean requestsNewerFirst(PartitionVisit visit, Roaring64NavigableMap complete) {
    PartitionProgress progress = visit.progress();
    boolean unobtainable = false;
    for (int attemptIndex = 0;
        attemptIndex < progress.expected().count() && !unobtainable;
        attemptIndex++) {
      unobtainable = isUnobtainable(progress, attemptIndex, complete);
    }
    return unobtainable && read.requestNewerFirst(visit);
  }

  private boolean isUnobtainable(
      PartitionProgress progress, int attemptIndex, Roaring64NavigableMap complete) {
    long attempt = progress.expected().attempt(attemptIndex);
    return progress.received().hasNone(attemptIndex)
        && !complete.contains(attempt)
        && !read.mayBeLocal(attempt);
  }

  /**
   * Ends the last visit of a partition before reading, if an attempt can no longer be completed:
   * the read then fails early. Such an attempt is incomplete at this server, no other server had
   * blocks of it, and it has no local output.
   */
  private boolean endBeforeReading(PartitionVisit visit, Roaring64NavigableMap complete) {
    PartitionProgress progress = visit.progress();
    ExpectedAttempts expected = progress.expected();
    boolean unobtainable = false;
    for (int attemptIndex = 0; attemptIndex < expected.count(); attemptIndex++) {
      if (isUnobtainable(progress, attemptIndex, complete)) {
        if (!unobtainable) {
          unobtainable = true;
          visit.end();
          progress.failed(visit.server(), visit.shortfallReason(), visit.shortfallDetail());
        }
        read.missing(progress.missing(attemptIndex));
      }
    }
    return unobtainable;
  }
}
