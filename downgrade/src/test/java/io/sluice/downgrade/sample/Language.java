package io.sluice.downgrade.sample;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.function.Function;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/** The language of Java 17, without newer methods. */
public final class Language implements Supplier<String> {
  private int hidden = 1;

  /** Called by reflection. */
  public Language() {}

  /** All kinds of components. */
  @SuppressWarnings("ArrayRecordComponent") // Compared by identity, as in the original.
  public record Components(
      boolean truth,
      byte small,
      short shorter,
      char letter,
      int number,
      long large,
      float real,
      double precise,
      String text,
      int[] array,
      Object missing) {}

  private record Empty() {}

  private record Named(String name) {
    Named {
      if (name.isEmpty()) {
        throw new IllegalArgumentException("no name");
      }
    }

    @Override
    public String toString() {
      return "own " + name;
    }
  }

  private sealed interface Shape permits Circle, Square {
    /** A default method that calls private ones. */
    default String describe() {
      return prefix() + area() + suffix(this);
    }

    int area();

    private String prefix() {
      return "area ";
    }

    private static String suffix(Shape shape) {
      return shape instanceof Circle circle && circle.radius > 1 ? "!" : ".";
    }
  }

  private record Circle(int radius) implements Shape {
    @Override
    public int area() {
      return 3 * radius * radius;
    }
  }

  private record Square(int side) implements Shape {
    @Override
    public int area() {
      return side * side;
    }
  }

  private static class Base {
    private int secret = 10;

    private Base() {}

    private Base(int secret) {
      this.secret = secret;
    }

    private String name() {
      return "base " + secret;
    }

    private static String common(String text) {
      return "common " + text;
    }
  }

  /** Its method does not override the private one of its superclass. */
  private static final class Derived extends Base {
    private Derived() {
      super(20);
    }

    private String name() {
      return "derived, " + super.name();
    }

    private static String common(String text) {
      return "derived " + text;
    }
  }

  private enum Operation {
    ADD {
      @Override
      int apply(int a, int b) {
        return a + b + super.offset();
      }
    },
    MULTIPLY {
      @Override
      int apply(int a, int b) {
        return a * b + super.offset();
      }
    };

    abstract int apply(int a, int b);

    private int offset() {
      return name().length();
    }
  }

  private final class Inner {
    private int read() {
      hidden += 2;
      return Language.this.own() + hidden;
    }
  }

  private int own() {
    return 100;
  }

  @Override
  public String get() {
    StringBuilder out = new StringBuilder();
    records(out);
    out.append(new Circle(2).describe()).append(new Square(3).describe()).append(' ');
    Base base = new Base();
    Derived derived = new Derived();
    base.secret++;
    out.append(base.name()).append(' ').append(derived.name()).append(' ');
    out.append(((Base) derived).name()).append(' ');
    out.append(Base.common("x")).append(' ').append(Derived.common("y")).append(' ');
    for (Operation operation : Operation.values()) {
      out.append(operation.apply(3, 4)).append(' ');
    }
    Inner inner = new Inner();
    IntSupplier read = inner::read;
    IntSupplier mine = this::own;
    Function<Base, String> named = Base::name;
    Supplier<Base> made = Base::new;
    Function<String, String> common = Base::common;
    out.append(inner.read()).append(read.getAsInt()).append(mine.getAsInt());
    out.append(named.apply(made.get())).append(common.apply("z"));
    Runnable counting = () -> hidden++;
    counting.run();
    out.append(hidden).append(kind("b")).append(kind("other"));
    return out.toString();
  }

  private static String kind(String text) {
    return switch (text) {
      case "a", "b" -> "first";
      default -> {
        int length = text.length();
        yield "of length " + length;
      }
    };
  }

  private static void records(StringBuilder out) {
    var text =
        """
        two
        lines""";
    Object nothing = null;
    Object other = text;
    int[] array = {1};
    var all = all(1.5, text, array, nothing);
    out.append(all.toString().replaceAll("@[0-9a-f]+", "@"));
    out.append(all.equals(all(1.5, text, array, nothing)))
        .append(all.hashCode() == all(1.5, text, array, nothing).hashCode())
        .append(all.equals(all(-1.5, text, array, nothing)))
        .append(all.equals(all(1.5, "other", array, nothing)))
        .append(all.equals(nothing))
        .append(all.equals(other))
        .append(all(Double.NaN, text, array, nothing).equals(all(Double.NaN, text, array, nothing)))
        .append(all(0.0, text, array, nothing).equals(all(-0.0, text, array, nothing)))
        .append(new Square(7).hashCode())
        .append(new Empty())
        .append(new Empty().equals(new Empty()))
        .append(new Empty().hashCode())
        .append(new Named("n"))
        .append(new ArrayList<>(Arrays.asList(new Named("n"))).contains(new Named("n")));
    try {
      out.append(new Named(""));
    } catch (IllegalArgumentException e) {
      out.append(e.getMessage());
    }
  }

  private static Components all(double precise, String text, int[] array, Object missing) {
    return new Components(
        true, (byte) 2, (short) 3, 'c', 4, 5L, 6.5f, precise, text, array, missing);
  }
}
