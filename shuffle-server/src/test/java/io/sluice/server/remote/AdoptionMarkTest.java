package io.sluice.server.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class AdoptionMarkTest {
  private static final AdoptionMark MARK = new AdoptionMark("host-2.example_0123456789abcdef");

  @Test
  void bytesAreThoseOfTheGoldenFile() throws IOException {
    try (InputStream golden = getClass().getResourceAsStream("/golden/adoption-mark-v1.bin")) {
      byte[] bytes = golden.readAllBytes();
      assertThat(MARK.encode()).isEqualTo(bytes);
      assertThat(AdoptionMark.decode(bytes, "mark")).isEqualTo(MARK);
    }
  }

  @Test
  void refusesEveryTruncationAndEveryChangedByte() {
    byte[] mark = MARK.encode();
    for (int length = 0; length < mark.length; length++) {
      byte[] cut = Arrays.copyOf(mark, length);
      assertThatThrownBy(() -> AdoptionMark.decode(cut, "mark"))
          .isInstanceOf(IOException.class)
          .hasMessageStartingWith("mark: ");
    }
    for (int at = 0; at < mark.length; at++) {
      byte[] changed = mark.clone();
      changed[at] ^= 1;
      assertThatThrownBy(() -> AdoptionMark.decode(changed, "mark"))
          .isInstanceOf(IOException.class)
          .hasMessageNotContaining("\n");
    }
  }

  @Test
  void refusesNamesThatLeaveTheDirectory() {
    for (String name : new String[] {"", "..", "a/b", "=adopted", "x".repeat(129)}) {
      assertThatThrownBy(() -> new AdoptionMark(name)).isInstanceOf(IllegalArgumentException.class);
    }
    assertThat(new AdoptionMark("x".repeat(128)).encode()).hasSize(AdoptionMark.MAX_LENGTH);
  }

  @Test
  void marksAreReadBackAndReplaced() throws IOException {
    InMemoryRemoteFileSystem files = new InMemoryRemoteFileSystem();
    AdoptionMarks marks = new AdoptionMarks(files);
    assertThat(marks.adopterOf("lost_1")).isEmpty();
    marks.write("lost_1", "two_2");
    assertThat(files.paths()).containsExactly("=adopted/lost_1");
    assertThat(marks.adopterOf("lost_1")).isEqualTo(Optional.of("two_2"));
    marks.write("lost_1", "three_3");
    assertThat(marks.adopterOf("lost_1")).isEqualTo(Optional.of("three_3"));
    files.put("=adopted/lost_2", new byte[1000]);
    assertThatThrownBy(() -> marks.adopterOf("lost_2")).isInstanceOf(IOException.class);
    marks.delete("lost_1");
    assertThat(marks.adopterOf("lost_1")).isEmpty();
    assertThat(files.openInputs()).isZero();
  }
}
