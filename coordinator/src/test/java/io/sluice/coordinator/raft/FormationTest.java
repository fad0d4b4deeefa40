package io.sluice.coordinator.raft;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.proto.MembershipReply;
import io.sluice.proto.MembershipReply.State;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class FormationTest {
  private static final List<String> ALL = List.of("a:1", "b:1", "c:1");

  private final Formation formation = new Formation("a:1", ALL, "");

  private static Optional<MembershipReply> reply(State state, List<String> members) {
    return Optional.of(MembershipReply.newBuilder().setState(state).addAllMembers(members).build());
  }

  private Formation.Step next(Optional<MembershipReply> b, Optional<MembershipReply> c) {
    return formation.next(Map.of("b:1", b, "c:1", c));
  }

  @Test
  void formsWhenAllHaveSeenAll() {
    assertThat(next(reply(State.EMPTY, ALL), reply(State.EMPTY, ALL)))
        .isInstanceOf(Formation.Step.Wait.class);
    assertThat(formation.membership().getState()).isEqualTo(State.READY);
    assertThat(next(reply(State.READY, ALL), reply(State.EMPTY, ALL)))
        .isInstanceOf(Formation.Step.Wait.class);
    assertThat(next(reply(State.READY, ALL), reply(State.READY, ALL)))
        .isEqualTo(new Formation.Step.Form(ALL));
  }

  @Test
  void waitsForACoordinatorThatDoesNotAnswer() {
    Formation.Step step = next(reply(State.READY, ALL), Optional.empty());

    assertThat(((Formation.Step.Wait) step).reason()).contains("missing: [c:1]");
    assertThat(formation.membership().getState()).isEqualTo(State.EMPTY);
  }

  @Test
  void formsWithAMemberThatWasFaster() {
    next(reply(State.READY, ALL), reply(State.READY, ALL));

    assertThat(next(reply(State.MEMBER, ALL), Optional.empty()))
        .isEqualTo(new Formation.Step.Form(ALL));
  }

  @Test
  void aMemberThatLostItsDataDoesNotStart() {
    Formation.Step step = next(reply(State.MEMBER, ALL), reply(State.READY, ALL));

    assertThat(((Formation.Step.Refuse) step).reason())
        .contains("the data directory is empty, but a:1 is a member");
  }

  @Test
  void aNewCoordinatorWaitsToBeAdded() {
    List<String> others = List.of("b:1", "c:1", "d:1");

    assertThat(next(reply(State.MEMBER, others), Optional.empty()))
        .isEqualTo(new Formation.Step.Join(others));
  }

  @Test
  void listsMustBeEqual() {
    Formation.Step step = next(reply(State.EMPTY, List.of("a:1", "b:1")), reply(State.EMPTY, ALL));

    assertThat(((Formation.Step.Wait) step).reason()).contains("rss.coordinator.quorum differs");
  }

  @Test
  void formsWithOneBackupAtAll() {
    Formation restored = new Formation("a:1", ALL, "f00d");
    Optional<MembershipReply> ready = with("f00d", State.READY);

    restored.next(Map.of("b:1", ready, "c:1", ready));

    assertThat(restored.membership().getBackup()).isEqualTo("f00d");
    assertThat(restored.next(Map.of("b:1", ready, "c:1", ready)))
        .isEqualTo(new Formation.Step.Form(ALL));
  }

  @Test
  void doesNotFormWithDifferentBackups() {
    for (String other : List.of("", "beef")) {
      Formation restored = new Formation("a:1", ALL, "f00d");
      Map<String, Optional<MembershipReply>> replies =
          Map.of("b:1", with("f00d", State.READY), "c:1", with(other, State.READY));

      restored.next(replies);
      Formation.Step step = restored.next(replies);

      assertThat(((Formation.Step.Wait) step).reason())
          .contains("restored backups differ: here f00d, at c:1 ")
          .contains("restore the same file at all coordinators");
    }
  }

  @Test
  void aBackupIsNotRestoredIntoAQuorum() {
    Formation restored = new Formation("a:1", ALL, "f00d");
    List<String> others = List.of("b:1", "c:1", "d:1");

    Formation.Step step =
        restored.next(Map.of("b:1", reply(State.MEMBER, others), "c:1", Optional.empty()));

    assertThat(((Formation.Step.Refuse) step).reason())
        .contains("a backup is restored here, but b:1 has a quorum already");
  }

  private static Optional<MembershipReply> with(String backup, State state) {
    return Optional.of(
        MembershipReply.newBuilder().setState(state).addAllMembers(ALL).setBackup(backup).build());
  }
}
