package io.sluice.backport;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

/** Both implementations give the checksums of the JDK. */
class Crc32CTest {
  private static final int ROUNDS = 200;
  private static final int MAX_BYTES = 40_000;

  @Test
  void tablesGiveTheChecksumOfTheJdk() {
    Random random = new Random(1);
    for (int round = 0; round < ROUNDS; round++) {
      byte[] bytes = new byte[random.nextInt(MAX_BYTES)];
      random.nextBytes(bytes);
      int offset = random.nextInt(bytes.length + 1);
      int length = random.nextInt(bytes.length - offset + 1);
      ByteBuffer direct = ByteBuffer.allocateDirect(bytes.length).put(bytes);
      CRC32C expected = new CRC32C();
      TableCrc32C found = new TableCrc32C();
      Crc32C chosen = new Crc32C();

      expected.update(bytes, offset, length);
      found.update(bytes, offset, length);
      chosen.update(bytes, offset, length);
      expected.update(round);
      found.update(round);
      chosen.update(round);
      expected.update(direct.slice(offset, length));
      found.update(direct.slice(offset, length));
      chosen.update(direct.slice(offset, length));
      chosen.update(bytes);
      expected.update(bytes);
      found.update(bytes, 0, bytes.length);

      assertThat(found.getValue()).as("round %d", round).isEqualTo(expected.getValue());
      assertThat(chosen.getValue()).as("round %d", round).isEqualTo(expected.getValue());
    }
  }

  @Test
  void theValueOfTheStandard() {
    // RFC 3720, B.4: 32 bytes of zeros, least significant byte first.
    TableCrc32C found = new TableCrc32C();
    found.update(new byte[32], 0, 32);

    assertThat(found.getValue()).isEqualTo(0x8A9136AAL);
  }

  @Test
  void resetStartsAgainAndBuffersAreRead() {
    Crc32C crc = new Crc32C();
    crc.update(new byte[] {1, 2});
    crc.reset();
    ByteBuffer bytes = ByteBuffer.wrap(new byte[] {5, 6, 7});
    crc.update(bytes);

    CRC32C expected = new CRC32C();
    expected.update(new byte[] {5, 6, 7});
    assertThat(crc.getValue()).isEqualTo(expected.getValue());
    assertThat(bytes.remaining()).isZero();
  }
}
