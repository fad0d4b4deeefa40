package io.sluice.common.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.ByteString;
import io.sluice.common.error.SluiceException;
import io.sluice.common.error.StatusCode;
import io.sluice.common.test.SettableClock;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RevocationsTest {
  private final SettableClock clock = new SettableClock();
  private final TestAuthority authority = new TestAuthority(clock);
  private final Revocations revocations = authority.revocations();
  private final TokenVerifier tokens = authority.verifier();

  private ByteString issued(String user, String application) {
    return authority.issue(application, user, 1_000_000).token();
  }

  @Test
  void refusesTokensOfAUserIssuedUntilTheRevocation() throws Exception {
    ByteString before = issued("eve", "eve.app");
    ByteString other = issued("bob", "bob.app");
    revocations.add(List.of(Revocation.ofUser("eve", clock.millis(), clock.millis() + 10_000_000)));
    clock.pass(1);

    assertThatThrownBy(() -> tokens.verify(before))
        .isInstanceOfSatisfying(
            SluiceException.class, e -> assertThat(e.code()).isEqualTo(StatusCode.DENIED))
        .hasMessage(
            "token of application \"eve.app\" is revoked: an operator revoked the tokens of user"
                + " \"eve\" issued until 2026-11-18T11:06:40Z");
    assertThat(tokens.verify(other).application()).isEqualTo("bob.app");
    assertThat(tokens.verify(issued("eve", "eve.app")).application()).isEqualTo("eve.app");
  }

  @Test
  void refusesTokensOfAnApplication() throws Exception {
    ByteString before = issued("eve", "eve.app");
    ByteString other = issued("eve", "eve.other");
    revocations.add(
        List.of(Revocation.ofApplication("eve.app", clock.millis(), clock.millis() + 10_000_000)));

    assertThatThrownBy(() -> tokens.verify(before))
        .hasMessageContaining("revoked the tokens of this application issued until");
    assertThat(tokens.verify(other).application()).isEqualTo("eve.other");
  }

  @Test
  void checksATokenThatWasVerifiedBefore() throws Exception {
    TokenVerifier.Verified verified = tokens.verify(issued("eve", "eve.app"));
    tokens.check(verified);

    clock.pass(1_000_000);
    assertThat(catchThrowableOfType(SluiceException.class, () -> tokens.check(verified)).code())
        .isEqualTo(StatusCode.TOKEN_EXPIRED);

    clock.pass(-1);
    revocations.add(List.of(Revocation.ofUser("eve", clock.millis(), clock.millis() + 10_000_000)));
    assertThat(catchThrowableOfType(SluiceException.class, () -> tokens.check(verified)).code())
        .isEqualTo(StatusCode.DENIED);
  }

  @Test
  void theLatestOfSeveralCoordinatorsAppliesAndExpiredOnesAreRemoved() {
    revocations.add(List.of(Revocation.ofUser("eve", clock.millis(), clock.millis() + 10)));
    revocations.add(List.of(Revocation.ofUser("eve", clock.millis() - 5, clock.millis() + 5)));
    revocations.add(List.of());

    assertThat(revocations.refusing("eve", "eve.app", clock.millis())).isNotNull();
    assertThat(revocations.refusing("eve", "eve.app", clock.millis() + 1)).isNull();
    assertThat(revocations.size()).isEqualTo(1);
    clock.pass(10);
    revocations.add(List.of());
    assertThat(revocations.size()).isZero();
  }

  @Test
  void dropsTheEarliestBeyondTheMaximum() {
    revocations.add(
        IntStream.rangeClosed(1, Revocations.MAX + 1)
            .mapToObj(i -> Revocation.ofUser("u" + i, i, clock.millis() + 10))
            .toList());

    assertThat(revocations.size()).isEqualTo(Revocations.MAX);
    assertThat(revocations.refusing("u1", "a", 0)).isNull();
    assertThat(revocations.refusing("u2", "a", 0)).isNotNull();
  }
}
