package io.sluice.coordinator.raft;

import io.sluice.common.error.PeerText;
import io.sluice.proto.MembershipReply;
import io.sluice.proto.MembershipReply.State;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Decides how a coordinator with an empty data directory begins. A new group forms only after every
 * coordinator of the list has seen that all others are empty, so that a coordinator that lost its
 * data never votes in the group that it was a member of. Used by one thread at a time.
 */
final class Formation {
  /** Decision after a round of questions. */
  sealed interface Step {
    /** Ask again. */
    record Wait(String reason) implements Step {}

    /** Start as one of the first members. */
    record Form(List<String> members) implements Step {}

    /** Start without a vote, until the leader adds this coordinator. */
    record Join(List<String> members) implements Step {}

    /** Do not start. */
    record Refuse(String reason) implements Step {}
  }

  /** Characters of a digest in messages. */
  private static final int DIGEST_CHARACTERS = 12;

  private final String self;
  private final List<String> coordinators;
  private final String backup;
  private boolean ready;

  /**
   * @param backup digest of the backup with which a new quorum begins; empty: it begins empty
   */
  Formation(String self, List<String> coordinators, String backup) {
    this.self = self;
    this.coordinators = List.copyOf(coordinators);
    this.backup = backup;
  }

  /** The answer to other coordinators. */
  synchronized MembershipReply membership() {
    return MembershipReply.newBuilder()
        .setState(ready ? State.READY : State.EMPTY)
        .addAllMembers(coordinators)
        .setBackup(backup)
        .build();
  }

  /**
   * Decides.
   *
   * @param replies of the other coordinators; empty: no reply
   */
  synchronized Step next(Map<String, Optional<MembershipReply>> replies) {
    List<String> silent = new ArrayList<>();
    boolean allReady = true;
    for (Map.Entry<String, Optional<MembershipReply>> entry : new TreeMap<>(replies).entrySet()) {
      if (entry.getValue().isEmpty()) {
        silent.add(entry.getKey());
        continue;
      }
      MembershipReply reply = entry.getValue().get();
      List<String> members = reply.getMembersList();
      if (reply.getState() == State.MEMBER) {
        if (members.isEmpty()) {
          return new Step.Wait(entry.getKey() + " starts");
        }
        if (!members.contains(self)) {
          return backup.isEmpty()
              ? new Step.Join(members)
              : new Step.Refuse(
                  "a backup is restored here, but "
                      + entry.getKey()
                      + " has a quorum already: "
                      + members
                      + "; empty the directory to join it");
        }
        return ready
            ? new Step.Form(coordinators)
            : new Step.Refuse(
                "the data directory is empty, but "
                    + self
                    + " is a member of the quorum of "
                    + entry.getKey()
                    + ": restore the directory, or remove the member with `sluice admin"
                    + " remove-coordinator "
                    + self
                    + "`, restart this coordinator and add it again");
      }
      if (!new TreeSet<>(members).equals(new TreeSet<>(coordinators))) {
        return new Step.Wait(
            GroupConfig.COORDINATORS.name()
                + " differs: here "
                + coordinators
                + ", at "
                + entry.getKey()
                + " "
                + members);
      }
      if (!reply.getBackup().equals(backup)) {
        return new Step.Wait(
            "restored backups differ: here "
                + shown(backup)
                + ", at "
                + entry.getKey()
                + " "
                + shown(reply.getBackup())
                + "; restore the same file at all coordinators and restart them");
      }
      allReady &= reply.getState() == State.READY;
    }
    if (!silent.isEmpty()) {
      return new Step.Wait("a new quorum forms when all coordinators answer, missing: " + silent);
    }
    if (ready && allReady) {
      return new Step.Form(coordinators);
    }
    ready = true;
    return new Step.Wait("a new quorum forms");
  }

  private static String shown(String digest) {
    return digest.isEmpty() ? "none" : PeerText.clipped(digest, DIGEST_CHARACTERS);
  }
}
