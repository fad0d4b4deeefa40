package io.sluice.client.read;

import com.google.protobuf.ByteString;
import io.sluice.client.file.OpenRunFiles;
import io.sluice.client.read.MissingBlocks.Reason;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.proto.OpenReply;
import io.sluice.proto.PartitionState;
import io.sluice.transport.protocol.AttemptSets;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.roaringbitmap.longlong.Roaring64NavigableMap;

/** Turns Open replies into stretches to fetch. Belongs to the task thread. */
final class OpenReplies {
  private final ShuffleReadRequest request;
  private final ReadProgress read;
  private final OpenRunFiles files;

  /**
   * @param files borrows
   */
  OpenReplies(ShuffleReadRequest request, ReadProgress read, OpenRunFiles files) {
    this.request = request;
    this.read = read;
    this.files = files;
  }

  /**
   * Begins the visits that an Open was sent for.
   *
   * @param wholeSinceEpoch oldest epoch of the server of which nothing acknowledged is missing
   */
  void take(ReadServer server, OpenReply reply, long wholeSinceEpoch) throws SluiceException {
    List<PartitionVisit> visits = server.endOpening();
    if (reply.getPartitionsCount() != visits.size()) {
      throw new SluiceException(
          StatusCode.INTERNAL,
          "server "
              + server.name()
              + " answered for "
              + reply.getPartitionsCount()
              + " of "
              + visits.size()
              + " partitions");
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
    for (int i = 0; i < visits.size(); i++) {
      begin(server, visits.get(i), reply.getPartitions(i), lostData, sets, placement);
    }
  }

  private static Roaring64NavigableMap attempts(ReadServer server, ByteString bytes)
      throws SluiceException {
    try {
      return AttemptSets.decode(bytes);
    } catch (IOException e) {
      throw new SluiceException(
          StatusCode.INTERNAL,
          "server " + server.name() + ": complete attempts in " + e.getMessage(),
          e);
    }
  }

  private void begin(
      ReadServer server,
      PartitionVisit visit,
      PartitionState found,
      boolean lostData,
      List<Roaring64NavigableMap> sets,
      StretchPlacement placement)
      throws SluiceException {
    if (found.getPartition() != visit.partition()) {
      throw new SluiceException(
          StatusCode.INTERNAL,
          "server "
              + server.name()
              + " answered for partition "
              + found.getPartition()
              + ", expected "
              + visit.partition());
    }
    switch (found.getPresence()) {
      case PRESENT -> {
        int set = found.getCompleteAttempts();
        Roaring64NavigableMap complete =
            set >= 0 && set < sets.size() ? sets.get(set) : new Roaring64NavigableMap();
        long absentAttempt = firstAbsent(visit.progress(), complete);
        if (absentAttempt >= 0) {
          visit.shortfall(
              lostData || found.getLostCount() > 0 ? Reason.LOST : Reason.INCOMPLETE,
              "attempt "
                  + absentAttempt
                  + " is not complete there"
                  + (found.getLostCount() > 0 ? "; a disk was lost" : "")
                  + (lostData ? "; the server has lost data since the assignment" : ""));
        }
        if (absentAttempt >= 0
            && !visit.progress().hasMoreServers()
            && (asksFirst(visit, complete) || endBeforeReading(visit, complete))) {
          return;
        }
        visit.opened(found, request, placement);
        if (visit.isRead()) {
          read.endVisit(visit);
        } else {
          server.beginVisit(visit);
        }
      }
      case PARTITION_EMPTY ->
          read.endVisit(visit, Reason.NEVER_WRITTEN, "the partition is empty there");
      case SHUFFLE_NEVER_WRITTEN ->
          read.endVisit(
              visit, Reason.NEVER_WRITTEN, "nothing of the shuffle was ever written there");
      case SHUFFLE_EXPIRED ->
          read.endVisit(visit, Reason.EXPIRED, "the shuffle was unregistered or its lease ended");
      case DATA_LOST ->
          read.endVisit(visit, Reason.LOST, "the server has lost data since the assignment");
      case PRESENCE_UNSPECIFIED, UNRECOGNIZED ->
          read.endVisit(
              visit, Reason.NEVER_WRITTEN, "the server does not say why there is nothing");
    }
  }

  private static long firstAbsent(PartitionProgress progress, Roaring64NavigableMap complete) {
    ExpectedAttempts expected = progress.expected();
    for (int place = 0; place < expected.count(); place++) {
      if (!progress.received().isWhole(place) && !complete.contains(expected.attempt(place))) {
        return expected.attempt(place);
      }
    }
    return -1;
  }

  /**
   * Leaves the last server before it is read, if what it lacks may be at one that is not known here
   * yet; it is visited again after the answer.
   */
  private boolean asksFirst(PartitionVisit visit, Roaring64NavigableMap complete) {
    PartitionProgress progress = visit.progress();
    boolean hopeless = false;
    for (int place = 0; place < progress.expected().count() && !hopeless; place++) {
      hopeless = isHopeless(progress, place, complete);
    }
    return hopeless && read.requestNewerFirst(visit);
  }

  private boolean isHopeless(
      PartitionProgress progress, int place, Roaring64NavigableMap complete) {
    long attempt = progress.expected().attempt(place);
    return progress.received().hasNone(place)
        && !complete.contains(attempt)
        && !read.mayBeLocal(attempt);
  }

  /**
   * Ends the last visit of a partition before it began, if an attempt can no longer become whole:
   * better known now than after everything else has been read. Such an attempt is not complete
   * here, nothing of it was anywhere else, and it has no local output.
   */
  private boolean endBeforeReading(PartitionVisit visit, Roaring64NavigableMap complete) {
    PartitionProgress progress = visit.progress();
    ExpectedAttempts expected = progress.expected();
    boolean hopeless = false;
    for (int place = 0; place < expected.count(); place++) {
      if (isHopeless(progress, place, complete)) {
        if (!hopeless) {
          hopeless = true;
          visit.end();
          progress.failed(visit.server().name(), visit.shortfallReason(), visit.shortfallDetail());
        }
        read.missing(progress.missing(place));
      }
    }
    return hopeless;
  }
}
