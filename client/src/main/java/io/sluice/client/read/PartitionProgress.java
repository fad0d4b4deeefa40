package io.sluice.client.read;

import io.sluice.client.read.MissingBlocks.Reason;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What has been read of one partition, and where it was asked for. The partition is whole when
 * every expected attempt is. Belongs to one thread.
 */
final class PartitionProgress {
  private final ExpectedAttempts expected;
  private VisitOrder order;
  private final ReceivedBlocks received;
  private final ReceiptChecks receipts = new ReceiptChecks();
  private final HeldBlocks held = new HeldBlocks();
  private int visits;
  private int questions;
  // Servers to ask once more when all have been asked; in that round there are no others left.
  private Deque<Integer> leftEarly;
  private boolean again;
  private final List<MissingBlocks.Answer> answers = new ArrayList<>(1);
  private Reason reason = Reason.NEVER_WRITTEN;
  private String detail = "";
  // Contents of which the first parts have come, by place.
  private Map<Integer, InOrder.Joining> joining;
  private boolean localKnown;
  private boolean allLocal;
  // What local output said, by place, of attempts that it did not complete.
  private Map<Integer, LocalAnswer> local;

  private record LocalAnswer(Reason reason, String said) {}

  PartitionProgress(ExpectedAttempts expected, VisitOrder order) {
    this.expected = expected;
    this.order = order;
    this.received = new ReceivedBlocks(expected.count());
  }

  int partition() {
    return expected.partition();
  }

  ExpectedAttempts expected() {
    return expected;
  }

  VisitOrder order() {
    return order;
  }

  ReceivedBlocks received() {
    return received;
  }

  ReceiptChecks receipts() {
    return receipts;
  }

  HeldBlocks held() {
    return held;
  }

  boolean isWhole() {
    return received.isWhole();
  }

  /** The content under way, or null. */
  InOrder.Joining joining(int place) {
    return joining == null ? null : joining.get(place);
  }

  void startJoining(int place, InOrder.Joining started) {
    if (joining == null) {
      joining = new HashMap<>();
    }
    joining.put(place, started);
  }

  void endJoining(int place) {
    joining.remove(place);
  }

  /** Index of the server to ask next, or -1 if all have been asked. */
  int nextServer() {
    if (visits < order.count()) {
      return order.server(visits++);
    }
    again = true;
    return leftEarly == null || leftEarly.isEmpty() ? -1 : leftEarly.removeFirst();
  }

  /**
   * There are further servers to ask.
   *
   * @param wider may name those that are known already
   * @return whether there are
   */
  boolean extend(VisitOrder wider) {
    VisitOrder longer = order.followedBy(wider);
    if (longer.count() == order.count()) {
      return false;
    }
    order = longer;
    again = false;
    return true;
  }

  /** The server asked now is to be asked once more, as if it had not been; whether that can be. */
  boolean askAgain() {
    if (again) {
      return false;
    }
    visits--;
    return true;
  }

  /** How often it was asked whether there are further servers. */
  int questions() {
    return questions;
  }

  void countQuestion() {
    questions++;
  }

  /** There are none: not to be asked again. */
  void endQuestions(int most) {
    questions = most;
  }

  /**
   * The server asked now is left after one try or none, because others may have all: it is asked
   * again if they do not. Even a copy may lack what a write quorum did without. A server is left so
   * once.
   */
  void leaveEarly() {
    if (again) {
      return;
    }
    if (leftEarly == null) {
      leftEarly = new ArrayDeque<>(1);
    }
    leftEarly.addLast(order.server(visits - 1));
  }

  /** Whether another server will be asked if this one does not have all. */
  boolean hasMoreServers() {
    return visits < order.count() || (leftEarly != null && !leftEarly.isEmpty());
  }

  /** Whether a server that has not been asked has copies of what the one asked now should have. */
  boolean hasMoreCopies() {
    return !again && order.hasCopyAfter(visits - 1);
  }

  /**
   * Whether every expected attempt may have local output.
   *
   * @param output the same each time
   */
  boolean mayAllBeLocal(LocalPieces output) {
    if (!localKnown) {
      localKnown = true;
      allLocal = true;
      for (int place = 0; place < expected.count() && allLocal; place++) {
        allLocal = output.mayHave(expected.attempt(place));
      }
    }
    return allLocal;
  }

  /** A server was asked and did not have all. What explains most stays. */
  void failed(String server, Reason why, String said) {
    // One that is asked again has thought better of it.
    answers.removeIf(answer -> answer.server().equals(server));
    answers.add(new MissingBlocks.Answer(server, why));
    if (weight(why) >= weight(reason)) {
      reason = why;
      detail = said;
    }
  }

  /** Local output was asked for the attempt at a place and did not complete it. */
  void failedLocally(int place, boolean damaged, String said) {
    if (local == null) {
      local = new HashMap<>();
    }
    local.put(place, new LocalAnswer(damaged ? Reason.CORRUPT : Reason.NEVER_WRITTEN, said));
  }

  private static int weight(Reason reason) {
    return switch (reason) {
      case NEVER_WRITTEN -> 0;
      case INCOMPLETE -> 1;
      case UNREACHABLE -> 2;
      case LOST -> 3;
      case CORRUPT -> 4;
      case EXPIRED -> 5;
    };
  }

  /** What is missing of the attempt at a place. */
  MissingBlocks missing(int place) {
    LocalAnswer answer = local == null ? null : local.get(place);
    boolean localTellsMore = answer != null && weight(answer.reason) > weight(reason);
    return new MissingBlocks(
        partition(),
        expected.attempt(place),
        expected.mapIndex(place),
        localTellsMore ? answer.reason : reason,
        answers,
        answer == null ? detail : detail + "; local output: " + answer.said);
  }
}
