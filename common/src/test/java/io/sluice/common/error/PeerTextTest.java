package io.sluice.common.error;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PeerTextTest {
  @Test
  void quotedTextCannotEndALineOrItsQuotes() {
    assertThat(PeerText.quoted("app-1")).isEqualTo("\"app-1\"");
    assertThat(PeerText.quoted("")).isEqualTo("\"\"");
    assertThat(PeerText.quoted("x\"\r\n2026 INFO\u2028\u0085é")).isEqualTo("\"x???2026 INFO???\"");
  }

  @Test
  void quotedTextIsCut() {
    assertThat(PeerText.quoted("a".repeat(256))).hasSize(258);
    assertThat(PeerText.quoted("a".repeat(1 << 20)))
        .isEqualTo("\"" + "a".repeat(256) + "...\" (1048576 characters)");
  }

  @Test
  void clippedTextStaysOnOneLine() {
    assertThat(PeerText.clipped("é a\tb\nc\u2029d", 7)).isEqualTo("é a b c");
  }
}
