package io.sluice.backport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Methods of streams, files, buffers, and checks of ranges. */
class IoMethodsTest {
  @TempDir private Path directory;

  /** Gives at most three bytes a read. */
  private static final class Slow extends ByteArrayInputStream {
    Slow(byte[] bytes) {
      super(bytes);
    }

    @Override
    public synchronized int read(byte[] target, int offset, int length) {
      return super.read(target, offset, Math.min(3, length));
    }
  }

  @Test
  void streamsAreReadToTheEnd() throws IOException {
    byte[] bytes = new byte[20_000];
    new Random(3).nextBytes(bytes);
    assertThat(InputStreamMethods.readAllBytes(new Slow(bytes))).isEqualTo(bytes);
    InputStream stream = new Slow(bytes);
    assertThat(InputStreamMethods.readNBytes(stream, 10_001))
        .isEqualTo(new Slow(bytes).readNBytes(10_001));
    assertThat(InputStreamMethods.readNBytes(stream, 10_001)).hasSize(9_999);
    assertThat(InputStreamMethods.readNBytes(stream, 10)).isEmpty();
    assertThatThrownBy(() -> InputStreamMethods.readNBytes(stream, -1))
        .isInstanceOf(IllegalArgumentException.class);

    InputStream again = new Slow(bytes);
    byte[] target = new byte[12_000];
    assertThat(InputStreamMethods.readNBytes(again, target, 1_000, 11_000)).isEqualTo(11_000);
    assertThat(target).startsWith(new byte[1_000]).endsWith(Arrays.copyOf(bytes, 11_000));
    assertThat(InputStreamMethods.readNBytes(again, target, 0, 12_000)).isEqualTo(9_000);
    assertThat(InputStreamMethods.readNBytes(again, target, 0, 12_000)).isZero();
    assertThatThrownBy(() -> InputStreamMethods.readNBytes(again, target, 1, 12_000))
        .isInstanceOf(IndexOutOfBoundsException.class);

    ByteArrayOutputStream output = new ByteArrayOutputStream();
    ByteArrayOutputStreamMethods.writeBytes(output, bytes);
    assertThat(output.toByteArray()).isEqualTo(bytes);
  }

  @Test
  void filesAreWrittenAndRead() throws IOException {
    Path file = PathMethods.of(directory.toString(), "file");
    FilesMethods.writeString(file, "ä€");
    FilesMethods.writeString(file, "!", StandardOpenOption.APPEND);

    assertThat(FilesMethods.readString(file)).isEqualTo(Files.readString(file)).isEqualTo("ä€!");
    assertThatThrownBy(() -> FilesMethods.readString(file, StandardCharsets.US_ASCII))
        .isInstanceOf(CharacterCodingException.class);
  }

  @Test
  void buffersAreReadAndWrittenAtAnIndex() {
    ByteBuffer buffer = ByteBuffer.allocateDirect(10);
    buffer.position(3);
    ByteBuffer expected = ByteBuffer.allocateDirect(10);
    expected.position(3);
    byte[] source = {1, 2, 3, 4};

    assertThat(ByteBufferMethods.put(buffer, 5, source, 1, 3)).isSameAs(buffer);
    expected.put(5, source, 1, 3);
    ByteBufferMethods.put(buffer, 0, source);
    expected.put(0, source);

    assertThat(buffer.position()).isEqualTo(3);
    assertThat(buffer.duplicate().rewind()).isEqualTo(expected.duplicate().rewind());
    byte[] target = new byte[6];
    byte[] expectedTarget = new byte[6];
    ByteBufferMethods.get(buffer, 4, target, 2, 4);
    expected.get(4, expectedTarget, 2, 4);
    assertThat(target).isEqualTo(expectedTarget);
    ByteBufferMethods.get(buffer, 4, target);
    expected.get(4, expectedTarget);
    assertThat(target).isEqualTo(expectedTarget);
    assertThat(ByteBufferMethods.slice(buffer, 5, 3)).isEqualTo(expected.slice(5, 3));
    assertThatThrownBy(() -> ByteBufferMethods.slice(buffer, 8, 3))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void rangesAreChecked() {
    assertThat(ObjectsMethods.checkFromIndexSize(2, 3, 5)).isEqualTo(2);
    for (int[] range :
        new int[][] {{-1, 1, 5}, {1, -1, 5}, {3, 3, 5}, {1, Integer.MAX_VALUE, 5}, {0, 0, -1}}) {
      assertThatThrownBy(() -> ObjectsMethods.checkFromIndexSize(range[0], range[1], range[2]))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
  }
}
