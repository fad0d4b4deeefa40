package io.sluice.spark;

import java.lang.reflect.InvocationTargetException;
import java.util.Collections;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.spark.MapOutputStatistics;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import scala.Option;
import scala.collection.Iterable;
import scala.collection.Iterator;

/**
 * Plans of adaptive execution. A shuffle is consumed if only exchanges read it whose own output is
 * complete: as map output, or as a broadcast table. The last shuffles of a plan are not: a data
 * frame that is used again reads them again. Nor are shuffles of cached tables.
 *
 * <p>Reads plans by reflection, because the plugin is compiled against the core of Spark only, and
 * one jar serves several versions. If a version has other plans, no shuffle is consumed.
 * Thread-safe.
 */
final class AdaptivePlans implements QueryPlans {
  private static final Logger LOG = LoggerFactory.getLogger(AdaptivePlans.class);
  private static final String EXECUTION = "org.apache.spark.sql.execution.";
  private static final String ADAPTIVE = EXECUTION + "adaptive.";

  private volatile boolean unsupported;

  /** Shuffles of a plan. */
  private static final class Found {
    /** Read by exchanges whose output is complete. */
    private final Set<Integer> byComplete = new HashSet<>();

    /** Read by the result of the query, or by exchanges whose output is not complete. */
    private final Set<Integer> byOthers = new HashSet<>();
  }

  /** Classes of a version of Spark. */
  private static final class Nodes {
    private final Class<?> adaptivePlan = load("AdaptiveSparkPlanExec");
    private final Class<?> stage = load("QueryStageExec");
    private final Class<?> shuffleStage = load("ShuffleQueryStageExec");
    private final Class<?> broadcastStage = load("BroadcastQueryStageExec");

    Nodes() throws ClassNotFoundException {}

    private static Class<?> load(String name) throws ClassNotFoundException {
      return AdaptivePlans.load(ADAPTIVE + name);
    }
  }

  private static Class<?> load(String name) throws ClassNotFoundException {
    return Class.forName(name, true, AdaptivePlans.class.getClassLoader());
  }

  @Override
  public Supplier<Set<Integer>> of(String query) {
    try {
      Object execution =
          load(EXECUTION + "SQLExecution")
              .getMethod("getQueryExecution", long.class)
              .invoke(null, Long.parseLong(query));
      // Null if the query has ended.
      return execution == null ? Collections::emptySet : () -> consumed(execution);
    } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
      warn(e);
      return Collections::emptySet;
    }
  }

  private Set<Integer> consumed(Object execution) {
    if (unsupported) {
      return Collections.emptySet();
    }
    try {
      Found found = new Found();
      walk(call(execution, "executedPlan"), false, new Nodes(), found);
      found.byComplete.removeAll(found.byOthers);
      return found.byComplete;
    } catch (ReflectiveOperationException | RuntimeException | LinkageError e) {
      warn(e);
      return Collections.emptySet();
    }
  }

  private void warn(Throwable cause) {
    if (!unsupported) {
      unsupported = true;
      LOG.warn("consumed shuffles are not deleted: plans of this Spark cannot be read", cause);
    }
  }

  /**
   * @param complete whether the output of an exchange above {@code plan} is complete
   */
  private static void walk(Object plan, boolean complete, Nodes nodes, Found found)
      throws ReflectiveOperationException {
    if (nodes.adaptivePlan.isInstance(plan)) {
      walk(call(plan, "executedPlan"), complete, nodes, found);
    } else if (nodes.stage.isInstance(plan)) {
      walkStage(plan, complete, nodes, found);
    } else {
      walkAll(call(plan, "children"), complete, nodes, found);
      walkAll(call(plan, "subqueries"), complete, nodes, found);
    }
  }

  private static void walkAll(Object plans, boolean complete, Nodes nodes, Found found)
      throws ReflectiveOperationException {
    Iterator<?> each = ((Iterable<?>) plans).iterator();
    while (each.hasNext()) {
      walk(each.next(), complete, nodes, found);
    }
  }

  private static void walkStage(Object stage, boolean complete, Nodes nodes, Found found)
      throws ReflectiveOperationException {
    boolean isShuffle = nodes.shuffleStage.isInstance(stage);
    boolean isComplete = (Boolean) call(stage, "isMaterialized");
    if (isShuffle && isComplete) {
      // None for a shuffle without map tasks.
      Option<?> statistics = (Option<?>) call(stage, "mapStats");
      if (statistics.isDefined()) {
        int shuffle = ((MapOutputStatistics) statistics.get()).shuffleId();
        (complete ? found.byComplete : found.byOthers).add(shuffle);
      }
    }
    boolean isExchange = isShuffle || nodes.broadcastStage.isInstance(stage);
    walk(call(stage, "plan"), complete || (isExchange && isComplete), nodes, found);
  }

  private static Object call(Object target, String method) throws ReflectiveOperationException {
    try {
      return target.getClass().getMethod(method).invoke(target);
    } catch (InvocationTargetException e) {
      throw new ReflectiveOperationException(method + " failed", e.getCause());
    }
  }
}
