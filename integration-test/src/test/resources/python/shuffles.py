"""Shuffles of PySpark, of pickled records and of rows. Writes one digest for each to the named file, and the states of shuffles."""

import hashlib
import sys

from pyspark.sql import SparkSession, functions
from pyspark.sql.types import LongType


def digest(rows):
    text = "\n".join(sorted(str(row) for row in rows))
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def pairs(context, count, keys):
    return context.parallelize(range(count), 6).map(lambda i: (i * i % keys, "value-%d" % i))


def reduced(context):
    return pairs(context, 30000, 700).mapValues(len).reduceByKey(lambda a, b: a + b, 5).collect()


def grouped(context):
    return pairs(context, 20000, 300).groupByKey(7).mapValues(lambda values: hash(frozenset(map(len, values)))).collect()


def sorted_by_key(context):
    rows = pairs(context, 20000, 5000).sortByKey(numPartitions=4).keys().collect()
    assert rows == sorted(rows)
    return rows


def cogrouped(context):
    left = pairs(context, 9000, 400)
    right = pairs(context, 3000, 500)
    both = left.cogroup(right, 5)
    return both.mapValues(lambda sides: [sorted(side) for side in sides]).collect()


def with_user_function(spark):
    doubled = functions.udf(lambda v: v * 2, LongType())
    rows = spark.range(0, 40000, 1, 6).selectExpr("id", "id % 321 as k")
    return rows.groupBy("k").agg(functions.sum(doubled("id"))).collect()


def joined(spark):
    left = spark.range(0, 20000, 1, 4).selectExpr("id", "id % 777 as k")
    right = spark.range(0, 2000, 1, 4).selectExpr("id as other", "id % 777 as k")
    return left.join(right.hint("merge"), "k").groupBy("k").count().collect()


if __name__ == "__main__":
    session = SparkSession.builder.getOrCreate()
    context = session.sparkContext
    events = context._jvm.io.sluice.it.spark.jobs.ShuffleEvents.of(context._jsc.sc())
    results = {
        "reduced": reduced(session.sparkContext),
        "grouped": grouped(session.sparkContext),
        "sorted": sorted_by_key(session.sparkContext),
        "cogrouped": cogrouped(session.sparkContext),
        "withUserFunction": with_user_function(session),
        "joined": joined(session),
    }
    shuffles = events.text(context._jsc.sc())
    session.stop()
    with open(sys.argv[1], "w", encoding="utf-8") as out:
        for name, rows in results.items():
            out.write("%s.rows=%d\n%s.digest=%s\n" % (name, len(rows), name, digest(rows)))
        out.write(shuffles)
