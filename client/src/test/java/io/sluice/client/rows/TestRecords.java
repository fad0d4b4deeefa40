package io.sluice.client.rows;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Random;

/** Builds records as a MapReduce segment has them, with bytes before and after them. */
public final class TestRecords {
  public static final int LEAD_BYTES = 16;

  private final ByteBuf bytes = Unpooled.buffer().writeZero(LEAD_BYTES).setByte(0, 1);
  private int count;

  /** Writes a length as Hadoop does, independently of the encoder. */
  private void number(int number) {
    if (number <= 127) {
      bytes.writeByte(number);
    } else if (number <= 0xFF) {
      bytes.writeByte(-113).writeByte(number);
    } else if (number <= 0xFFFF) {
      bytes.writeByte(-114).writeShort(number);
    } else if (number <= 0xFF_FFFF) {
      bytes.writeByte(-115).writeMedium(number);
    } else {
      bytes.writeByte(-116).writeInt(number);
    }
  }

  public TestRecords add(byte[] key, byte[] value) {
    number(key.length);
    number(value.length);
    bytes.writeBytes(key).writeBytes(value);
    count++;
    return this;
  }

  /** The end mark of Hadoop and a checksum. */
  public TestRecords end() {
    bytes.writeShort(-1).writeInt(0x0102_0304);
    return this;
  }

  public byte[] bytes() {
    byte[] copy = new byte[bytes.writerIndex()];
    bytes.getBytes(0, copy);
    return copy;
  }

  public int count() {
    return count;
  }

  /** Records of which keys, values, both or none have one length. */
  static TestRecords random(Random random, int count) {
    int most = random.nextInt(20) == 0 ? 400 : 40;
    int keyLength = random.nextInt(4) == 0 ? -1 : random.nextInt(most);
    int valueLength = random.nextInt(4) == 0 ? -1 : random.nextInt(most);
    int range = 1 << random.nextInt(9);
    TestRecords records = new TestRecords();
    for (int i = 0; i < count; i++) {
      records.add(
          randomBytes(random, keyLength < 0 ? random.nextInt(most) : keyLength, range),
          randomBytes(random, valueLength < 0 ? random.nextInt(most) : valueLength, range));
    }
    return records.end();
  }

  static byte[] randomBytes(Random random, int length, int range) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) random.nextInt(range);
    }
    return bytes;
  }
}
