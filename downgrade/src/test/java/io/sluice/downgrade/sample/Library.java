package io.sluice.downgrade.sample;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

/** Methods and classes that Java 8 lacks, and methods whose result changed. */
public final class Library implements Supplier<String> {
  /** Called by reflection. */
  public Library() {}

  /** Inherits methods that the backport replaces. */
  private static final class Names extends ArrayList<String> {
    private static final long serialVersionUID = 0;
  }

  @Override
  public String get() {
    List<String> blank = Stream.of(" ", "a ", "").filter(String::isBlank).toList();
    Function<String, String> strip = String::strip;
    Supplier<Boolean> empty = Optional.empty()::isEmpty;
    Function<String, List<String>> single = List::of;
    IntFunction<String[]> array = String[]::new;
    Names names = new Names();
    Collections.addAll(names, "x", "y");
    return blank
        + strip.apply(" b ")
        + empty.get()
        + single.apply("s")
        + names.toArray(array).length
        + List.of(1, 2, 3)
        + Map.of("k", "v")
        + buffers()
        + checksum()
        + "%d of %s".formatted(3, "four")
        + new ConcurrentHashMap<>(Map.of(1, 2)).keySet();
  }

  private static String buffers() {
    ByteBuffer buffer = ByteBuffer.allocate(8).putInt(1).putInt(2).flip().position(4).limit(8);
    int second = buffer.mark().getInt();
    CharBuffer text = CharBuffer.wrap("chars").duplicate().position(2);
    return second + " " + buffer.reset().slice(4, 2).remaining() + buffer.rewind() + text;
  }

  private static long checksum() {
    CRC32C crc = new CRC32C();
    crc.update(ByteBuffer.wrap(new byte[] {1, 2, 3}));
    crc.update(new byte[100], 10, 90);
    return crc.getValue();
  }
}
