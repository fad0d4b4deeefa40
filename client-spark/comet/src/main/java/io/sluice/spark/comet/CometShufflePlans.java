package io.sluice.spark.comet;

import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.comet.execution.shuffle.CometShuffleManager;
import org.apache.spark.sql.internal.SQLConf;
import scala.runtime.AbstractFunction1;
import scala.runtime.BoxedUnit;

/**
 * Extension of Spark sessions, by which Comet plans its exchanges. Comet does so only if the
 * session's value of {@code spark.shuffle.manager} is the name of its own shuffle manager. No other
 * class reads that value: Spark creates its shuffle manager from the application's configuration,
 * which stays as it is. Stateless.
 */
public final class CometShufflePlans extends AbstractFunction1<SparkSessionExtensions, BoxedUnit> {
  @Override
  public BoxedUnit apply(SparkSessionExtensions extensions) {
    extensions.injectOptimizerRule(session -> new CometManagerName());
    return BoxedUnit.UNIT;
  }

  /**
   * Sets the value in the session of a query before the query is planned. The plan stays as it is.
   */
  static final class CometManagerName extends Rule<LogicalPlan> {
    private static final String MANAGER = "spark.shuffle.manager";
    private static final String COMET = CometShuffleManager.class.getName();

    @Override
    public LogicalPlan apply(LogicalPlan plan) {
      SQLConf session = conf();
      if (!session.getConfString(MANAGER, "").equals(COMET)) {
        session.setConfString(MANAGER, COMET);
      }
      return plan;
    }
  }
}
