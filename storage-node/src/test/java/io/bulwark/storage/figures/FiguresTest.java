package io.bulwark.storage.figures;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.client.text.Chart;
import io.bulwark.client.text.Chart.Line;
import io.bulwark.client.text.Chart.Point;
import java.io.StringReader;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import org.xml.sax.InputSource;

/** Tests the output and the charts of the figures' benchmarks. */
class FiguresTest {
    @Test
    void aChartIsWellFormedAndHoldsEveryPointWithinItsFrame() throws Exception {
        Chart chart = new Chart(
                "a < b & c",
                "x",
                "ms",
                List.of(
                        new Line("one", List.of(new Point(1, 0), new Point(2, 13), new Point(3.5, 7))),
                        new Line("two", List.of(new Point(2, 0.5)))));
        Element svg = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new InputSource(new StringReader(chart.svg())))
                .getDocumentElement();
        var circles = svg.getElementsByTagName("circle");
        assertThat(circles.getLength()).isEqualTo(4);
        List<Element> points =
                IntStream.range(0, 4).mapToObj(i -> (Element) circles.item(i)).toList();
        assertThat(points).allSatisfy(point -> {
            assertThat(Double.parseDouble(point.getAttribute("cx"))).isBetween(60.0, 490.0);
            assertThat(Double.parseDouble(point.getAttribute("cy"))).isBetween(60.0, 330.0);
        });
        assertThat(Double.parseDouble(points.get(1).getAttribute("cy")))
                .as("what is more is higher up")
                .isLessThan(Double.parseDouble(points.get(2).getAttribute("cy")));
        var texts = svg.getElementsByTagName("text");
        assertThat(IntStream.range(0, texts.getLength())
                        .mapToObj(i -> texts.item(i).getTextContent())
                        .collect(Collectors.toSet()))
                .contains("a < b & c", "one", "two", "0", "5", "10", "15", "1", "3.5");
    }

    @Test
    void theIntervalHoldsTheMedianAndNarrowsWithMoreValues() {
        Sample few = new Sample(DoubleStream.of(5, 1, 4, 2, 3).toArray());
        assertThat(few.median()).isEqualTo(3);
        assertThat(few.interval()[0]).isBetween(1.0, 3.0);
        assertThat(few.interval()[1]).isBetween(3.0, 5.0);
        Sample many =
                new Sample(IntStream.range(0, 401).mapToDouble(i -> 1 + i % 5).toArray());
        assertThat(many.interval()[1] - many.interval()[0]).isLessThanOrEqualTo(few.interval()[1] - few.interval()[0]);
        assertThat(new Sample(new double[] {7}).text("%.1f")).isEqualTo("7.0 (7.0 to 7.0)");
        assertThat(new Sample(new double[] {1, 2}).median()).isEqualTo(1.5);
    }
}
