package io.sluice.coordinator.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.auth.Revocation;
import io.sluice.common.auth.Revocation.Kind;
import io.sluice.common.auth.Revocation.Subject;
import io.sluice.common.auth.Revocations;
import org.junit.jupiter.api.Test;

class RevocationTableTest {
  @Test
  void theLatestRevocationOfASubjectReplacesTheEarlierOne() {
    Revocation later = Revocation.ofUser("eve", 3, 13);
    Revocation application = Revocation.ofApplication("eve", 2, 12);
    RevocationTable table =
        RevocationTable.EMPTY.with(Revocation.ofUser("eve", 1, 11)).with(application).with(later);

    assertThat(table.all()).containsExactly(application, later);
    assertThat(table.revision()).isEqualTo(3);
    assertThat(RevocationTable.EMPTY.revision()).isZero();
  }

  @Test
  void anExpiredRevocationIsNotInForceAndIsRemovedByTheNextOne() {
    RevocationTable table = RevocationTable.EMPTY.with(Revocation.ofUser("eve", 1, 11));

    assertThat(table.inForceAt(10)).hasSize(1);
    assertThat(table.inForceAt(11)).isEmpty();
    Revocation next = Revocation.ofUser("bob", 11, 21);
    assertThat(table.with(next).all()).containsExactly(next);
  }

  @Test
  void hasRoomForAReplacementAndAfterAnExpiryOnly() {
    RevocationTable table = RevocationTable.EMPTY;
    for (int i = 0; i < Revocations.MAX_OF_COORDINATOR; i++) {
      assertThat(table.hasRoom(new Subject(Kind.USER, "u" + i), i)).isTrue();
      table = table.with(Revocation.ofUser("u" + i, i, i + 10_000));
    }

    assertThat(table.hasRoom(new Subject(Kind.USER, "one-more"), 9_999)).isFalse();
    assertThat(table.hasRoom(new Subject(Kind.APPLICATION, "u0"), 9_999)).isFalse();
    assertThat(table.hasRoom(new Subject(Kind.USER, "u0"), 9_999)).isTrue();
    assertThat(table.hasRoom(new Subject(Kind.USER, "one-more"), 10_000)).isTrue();
  }
}
