package io.sluice.it.spark;

import io.sluice.common.docs.DocumentedTable;
import io.sluice.it.spark.SparkApplication.Metric;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Allowed differences of Spark's metrics with Sluice: the table "Metrics" of docs/spark.md. */
final class MetricRules {
  /** The terms of the table's second column. */
  private enum Rule {
    EQUAL {
      @Override
      boolean allows(long own, long found) {
        return own == found;
      }
    },
    MEASURED {
      @Override
      boolean allows(long own, long found) {
        return found >= 0;
      }
    },
    SIMILAR {
      @Override
      boolean allows(long own, long found) {
        return own > 0 == found > 0;
      }
    },
    MORE {
      @Override
      boolean allows(long own, long found) {
        return own == 0 || found > 0;
      }
    },
    LESS {
      @Override
      boolean allows(long own, long found) {
        return own > 0 || found == 0;
      }
    },
    ZERO {
      @Override
      boolean allows(long own, long found) {
        return found == 0;
      }
    };

    abstract boolean allows(long own, long found);
  }

  private final Map<String, Rule> rules = new TreeMap<>();

  private MetricRules() {}

  static MetricRules ofDocumentation() {
    MetricRules all = new MetricRules();
    for (DocumentedTable.Row row : DocumentedTable.of("spark.md", "Metrics")) {
      Rule rule = Rule.valueOf(row.cell(1).toUpperCase(Locale.ROOT));
      for (String name : row.names()) {
        all.rules.put(name, rule);
      }
    }
    return all;
  }

  /**
   * Compares a metric.
   *
   * @param own value with the built-in shuffle; null if absent
   * @param found value with Sluice; null if absent
   * @return the violated rule
   */
  Optional<String> check(String name, Metric own, Metric found) {
    if (own == null || found == null) {
      return Optional.of("built-in " + own + ", Sluice " + found);
    }
    Rule rule = rules.getOrDefault(name, rules.get(name.substring(name.lastIndexOf('.') + 1)));
    if (rule == null) {
      return Optional.of("is not in the table of docs/spark.md: " + own + ", " + found);
    }
    return rule.allows(own.value(), found.value())
        ? Optional.empty()
        : Optional.of(rule + ": built-in " + own.value() + ", Sluice " + found.value());
  }
}
