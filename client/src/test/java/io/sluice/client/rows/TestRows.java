package io.sluice.client.rows;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Builds rows as Spark's {@code UnsafeRowWriter} does, each after its length. */
public final class TestRows {
  private static final int RESERVED = 16;

  private final int fields;
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private int rows;
  private byte[] fixed;
  private ByteArrayOutputStream tail;

  public TestRows(int fields) {
    this.fields = fields;
  }

  /** A kind of column: writes its value of the current row. */
  @FunctionalInterface
  interface Column {
    void write(TestRows row, int field, int number, Random random);
  }

  /** Starts a row of nulls. */
  public TestRows begin() {
    fixed = new byte[((fields + 63) / 64 + fields) * 8];
    tail = new ByteArrayOutputStream();
    for (int i = 0; i < fields; i++) {
      fixed[i / 8] |= (byte) (1 << (i % 8));
    }
    return this;
  }

  private ByteBuffer words() {
    return ByteBuffer.wrap(fixed).order(ByteOrder.LITTLE_ENDIAN);
  }

  private int slot(int field) {
    return ((fields + 63) / 64 + field) * 8;
  }

  private void notNull(int field) {
    fixed[field / 8] &= (byte) ~(1 << (field % 8));
  }

  public TestRows number(int field, long value) {
    notNull(field);
    words().putLong(slot(field), value);
    return this;
  }

  public TestRows value(int field, byte[] value) {
    notNull(field);
    words().putLong(slot(field), ((long) (fixed.length + tail.size()) << 32) | value.length);
    tail.writeBytes(value);
    tail.writeBytes(new byte[-value.length & 7]);
    return this;
  }

  /** A decimal of more than 18 digits, or null: its space is reserved either way. */
  public TestRows decimal(int field, byte[] value) {
    int length = value == null ? 0 : value.length;
    words().putLong(slot(field), ((long) (fixed.length + tail.size()) << 32) | length);
    if (value != null) {
      notNull(field);
      tail.writeBytes(value);
    }
    tail.writeBytes(new byte[RESERVED - length]);
    return this;
  }

  /** Bytes after the values that no slot describes. */
  TestRows rest(byte[] more) {
    tail.writeBytes(more);
    return this;
  }

  public TestRows end() {
    byte[] variable = tail.toByteArray();
    bytes.writeBytes(ByteBuffer.allocate(4).putInt(fixed.length + variable.length).array());
    bytes.writeBytes(fixed);
    bytes.writeBytes(variable);
    rows++;
    return this;
  }

  public byte[] bytes() {
    return bytes.toByteArray();
  }

  public int rows() {
    return rows;
  }

  public int fields() {
    return fields;
  }

  /** Rows with random kinds of columns. */
  static TestRows random(Random random, int fields, int rows) {
    List<Column> columns = new ArrayList<>();
    for (int i = 0; i < fields; i++) {
      columns.add(column(random));
    }
    TestRows made = new TestRows(fields);
    for (int number = 0; number < rows; number++) {
      made.begin();
      for (int field = 0; field < fields; field++) {
        columns.get(field).write(made, field, number, random);
      }
      made.end();
    }
    return made;
  }

  private static Column column(Random random) {
    long base = random.nextLong() >> random.nextInt(64);
    int bits = 1 + random.nextInt(63);
    int distinct = 1 + random.nextInt(random.nextBoolean() ? 8 : 400);
    int nulls = random.nextInt(3) == 0 ? 2 + random.nextInt(5) : Integer.MAX_VALUE;
    int run = 1 + random.nextInt(6);
    int maxLength = random.nextBoolean() ? 9 : 1 + random.nextInt(60);
    Column column =
        switch (random.nextInt(11)) {
          case 0 -> (row, field, number, any) -> row.number(field, base);
          case 1 -> (row, field, number, any) -> row.number(field, any.nextLong() >>> bits);
          case 2 -> (row, field, number, any) -> row.number(field, base + any.nextInt(1 << 13));
          case 3 -> (row, field, number, any) -> row.number(field, base + number * 1000L / run);
          case 4 ->
              (row, field, number, any) ->
                  row.number(field, Double.doubleToLongBits(any.nextInt(distinct) / 4.0));
          case 5 ->
              (row, field, number, any) -> row.number(field, new Random(number / run).nextLong());
          case 6 ->
              (row, field, number, any) -> row.value(field, text(any.nextInt(distinct), maxLength));
          case 7 -> (row, field, number, any) -> row.value(field, bytes(any, maxLength));
          case 8 -> (row, field, number, any) -> row.value(field, text(number / run, maxLength));
          case 9 -> (row, field, number, any) -> row.decimal(field, bytes(any, RESERVED));
          default ->
              (row, field, number, any) ->
                  row.decimal(field, number % 3 == 0 ? null : bytes(any, 5));
        };
    return (row, field, number, any) -> {
      if (number % nulls != nulls - 1) {
        column.write(row, field, number, any);
      }
    };
  }

  private static byte[] text(int number, int maxLength) {
    Random random = new Random(number);
    byte[] text = new byte[random.nextInt(maxLength + 1)];
    for (int i = 0; i < text.length; i++) {
      text[i] = (byte) ('a' + random.nextInt(26));
    }
    return text;
  }

  private static byte[] bytes(Random random, int maxLength) {
    byte[] made = new byte[random.nextInt(maxLength + 1)];
    random.nextBytes(made);
    return made;
  }
}
