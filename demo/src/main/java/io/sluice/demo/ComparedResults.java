package io.sluice.demo;

import io.sluice.demo.staging.DemoException;
import io.sluice.demo.staging.Side;
import java.io.IOException;

/**
 * Results of the same work with the built-in shuffle and through Sluice.
 *
 * @param builtIn result with the engine's built-in shuffle
 * @param sluice result through Sluice
 */
public record ComparedResults<T>(T builtIn, T sluice) {

  /** Work on one side. */
  @FunctionalInterface
  public interface SideWork<T> {
    T run(Side side) throws DemoException, IOException, InterruptedException;
  }

  /** Runs the work on both sides, one after the other. */
  public static <T> ComparedResults<T> sequentially(Side first, SideWork<T> work)
      throws DemoException, IOException, InterruptedException {
    T begun = work.run(first);
    T other = work.run(first == Side.BUILT_IN ? Side.SLUICE : Side.BUILT_IN);
    return first == Side.BUILT_IN
        ? new ComparedResults<>(begun, other)
        : new ComparedResults<>(other, begun);
  }
}
