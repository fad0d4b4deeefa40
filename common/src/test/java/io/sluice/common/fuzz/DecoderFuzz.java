package io.sluice.common.fuzz;

import com.sun.management.ThreadMXBean;
import io.sluice.common.test.TestEffort;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToLongFunction;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fuzz test of a decoder with valid inputs and random mutations of them. Fails if the decoder
 * throws an undocumented exception, allocates much more memory than the input has bytes, or does
 * not return. Inputs that are refused at a new code position are added to the corpus. A run begins
 * with the corpus that the repository has of earlier runs ({@link Corpus}).
 *
 * <p>An ordinary test run uses a fixed set of 1,000 inputs; {@code -Dsluice.test.effort} multiplies
 * that number. {@code -Dsluice.fuzz.seconds=60} generates new inputs for 60 seconds per decoder;
 * {@code -Dsluice.fuzz.seed=N} repeats those of another run. {@code -Dsluice.fuzz.keep=true} writes
 * the corpus of the run to the sources. See docs/development.md.
 */
public final class DecoderFuzz {
  private static final Logger LOG = LoggerFactory.getLogger(DecoderFuzz.class);

  private static final int ORDINARY_INPUTS = 1_000;
  private static final int ORDINARY_MS = 700;
  private static final long HANGS_AFTER_SECONDS = 20;
  private static final int MAX_CORPUS_SIZE = 500;
  private static final int MAX_PRINTED_BYTES = 4 << 10;

  /** The code under test. */
  @FunctionalInterface
  public interface Decoder {
    /** Decodes an input, and asserts properties of an accepted input. */
    void decode(byte[] input) throws Exception;
  }

  private final List<byte[]> seeds;
  private final List<byte[]> words = new ArrayList<>();
  private final List<Class<? extends Exception>> documented = new ArrayList<>();
  private final ThreadMXBean memory = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private UnaryOperator<byte[]> seal = UnaryOperator.identity();
  private ToLongFunction<byte[]> maxBytes = input -> (4L << 20) + 256L * input.length;

  private DecoderFuzz(List<byte[]> seeds) {
    this.seeds = seeds;
  }

  /** Starts with valid inputs. */
  public static DecoderFuzz of(byte[]... seeds) {
    return new DecoderFuzz(List.of(seeds));
  }

  /** Starts with valid texts. */
  public static DecoderFuzz of(String... seeds) {
    return new DecoderFuzz(Stream.of(seeds).map(s -> s.getBytes(StandardCharsets.UTF_8)).toList());
  }

  /** The exception by which the decoder refuses an input. */
  public DecoderFuzz refusing(Class<? extends Exception> exception) {
    documented.add(exception);
    return this;
  }

  /** Repairs checksums in most of the mutated inputs. The function must not modify its argument. */
  public DecoderFuzz sealing(UnaryOperator<byte[]> seal) {
    this.seal = seal;
    return this;
  }

  /** Adds a dictionary of tokens of the decoder. */
  public DecoderFuzz words(String... more) {
    Stream.of(more).forEach(word -> words.add(word.getBytes(StandardCharsets.UTF_8)));
    return this;
  }

  /** Maximum heap that decoding one input may allocate, including garbage. */
  public DecoderFuzz allocating(long fixed, long perByte) {
    return allocating(input -> fixed + perByte * input.length);
  }

  /** Maximum heap that decoding an input may allocate, including garbage. */
  public DecoderFuzz allocating(ToLongFunction<byte[]> limit) {
    maxBytes = limit;
    return this;
  }

  /** Runs the test. */
  public void run(Decoder decoder) {
    long seconds = Long.getLong("sluice.fuzz.seconds", 0);
    long seed = Long.getLong("sluice.fuzz.seed", seconds > 0 ? System.nanoTime() : 1);
    Corpus kept = Corpus.of(caller());
    Run run = new Run(decoder, seed, seconds, kept.inputs());
    FutureTask<Void> task = new FutureTask<>(run::all, null);
    Thread thread = new Thread(task, "fuzz");
    thread.setDaemon(true);
    thread.start();
    for (long before = -1; !done(task); ) {
      long now = run.tried.get();
      if (now == before) {
        AssertionError hang = new AssertionError("decoder does not return: " + run.what(run.input));
        hang.setStackTrace(thread.getStackTrace());
        throw hang;
      }
      before = now;
    }
    if (Boolean.getBoolean("sluice.fuzz.keep")) {
      kept.write(run.found);
    }
    if (seconds > 0) {
      LOG.info("fuzzed by={} inputs={} seconds={} seed={}", caller(), run.tried, seconds, seed);
    }
  }

  /** Name of the calling test. */
  private static String caller() {
    return StackWalker.getInstance()
        .walk(frames -> frames.filter(frame -> !isOwn(frame.getClassName())).findFirst())
        .map(frame -> frame.getClassName() + "." + frame.getMethodName())
        .orElse("?");
  }

  private static boolean isOwn(String className) {
    return className.equals(DecoderFuzz.class.getName());
  }

  /** Waits for the end, at most for the time limit of one input. */
  private static boolean done(FutureTask<Void> task) {
    try {
      task.get(HANGS_AFTER_SECONDS, TimeUnit.SECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof AssertionError failure) {
        throw failure;
      }
      throw new AssertionError(e.getCause());
    } catch (InterruptedException e) {
      throw new AssertionError("interrupted", e);
    }
  }

  private final class Run {
    private final Decoder decoder;
    private final long seed;
    private final long seconds;
    private final Random random;
    private final List<byte[]> kept;
    private final List<byte[]> corpus = new ArrayList<>(seeds);
    private final List<byte[]> found = new ArrayList<>();
    private final Set<String> ends = new HashSet<>();
    private final AtomicLong tried = new AtomicLong();
    private volatile byte[] input;

    Run(Decoder decoder, long seed, long seconds, List<byte[]> kept) {
      this.decoder = decoder;
      this.kept = kept;
      this.seed = seed;
      this.seconds = seconds;
      this.random = new Random(seed);
    }

    void all() {
      for (byte[] right : seeds) {
        if (!attempt(right, false).isEmpty()) {
          throw new AssertionError("a valid input is refused: " + what(right));
        }
      }
      attempt(new byte[0], false);
      kept.forEach(this::attemptForCorpus);
      Mutations mutations = new Mutations(random, words);
      long start = System.nanoTime();
      long maxNanos =
          seconds > 0
              ? TimeUnit.SECONDS.toNanos(seconds)
              : TimeUnit.MILLISECONDS.toNanos(TestEffort.times(ORDINARY_MS));
      long inputs = seconds > 0 ? Long.MAX_VALUE : TestEffort.times(ORDINARY_INPUTS);
      while (tried.get() < inputs && System.nanoTime() - start < maxNanos) {
        byte[] changed = mutations.of(any(), any());
        if (random.nextInt(8) != 0) {
          changed = seal.apply(changed);
        }
        attemptForCorpus(changed);
      }
    }

    private void attemptForCorpus(byte[] changed) {
      String end = attempt(changed, true);
      if (corpus.size() < MAX_CORPUS_SIZE && ends.add(end)) {
        corpus.add(changed);
        found.add(changed);
      }
    }

    private byte[] any() {
      return corpus.get(random.nextInt(corpus.size()));
    }

    /** The code position that refused the input; empty if it was accepted. */
    private String attempt(byte[] bytes, boolean measured) {
      input = bytes;
      long before = memory.getCurrentThreadAllocatedBytes();
      String end = "";
      try {
        decoder.decode(bytes.clone());
      } catch (Exception | Error e) {
        if (documented.stream().noneMatch(type -> type.isInstance(e))) {
          throw new AssertionError(e + " from " + what(bytes), e);
        }
        end = Arrays.stream(e.getStackTrace()).limit(3).toList().toString();
      }
      long allocated = memory.getCurrentThreadAllocatedBytes() - before;
      if (measured && allocated > maxBytes.applyAsLong(bytes)) {
        throw new AssertionError(allocated + " bytes allocated for " + what(bytes));
      }
      tried.incrementAndGet();
      return end;
    }

    private String what(byte[] bytes) {
      byte[] shown = Arrays.copyOf(bytes, Math.min(bytes.length, MAX_PRINTED_BYTES));
      return "input "
          + tried
          + " of -Dsluice.fuzz.seed="
          + seed
          + ", "
          + bytes.length
          + " bytes: "
          + HexFormat.of().formatHex(shown)
          + "\nas text: "
          + new String(shown, StandardCharsets.ISO_8859_1);
    }
  }
}
