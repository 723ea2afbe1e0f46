package io.bulwark.appliance.adapt;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.appliance.adapt.Adaptation.Fault;
import io.bulwark.appliance.adapt.Adaptation.Point;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;

@NullMarked
class AdaptationPlotTest {
    @Test
    void thePlotHasALaneForEachOfNAndBAndLatencyAndNamesTheFaults() throws Exception {
        Adaptation course = new Adaptation(
                List.of(
                        new Point(1, 12, 1, 0, 2.5, 30),
                        new Point(2, 12, 2, 1, -1, -1),
                        new Point(3, 11, 1, 0, 3, 20_000)),
                List.of(new Fault("lies", 2, "wrong, say node-0, node-3", 1.5, 2, 2.5, 3)),
                100,
                List.of());
        String svg = AdaptationPlot.svg(course);
        Element root = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)))
                .getDocumentElement();
        assertThat(root.getTagName()).isEqualTo("svg");
        assertThat(svg).contains(">node-2 lies<", ">n<", ">b<", ">ms<");
        assertThat(svg).as("a second without operations has no latency").doesNotContain("NaN", "Infinity");
        assertThat(root.getElementsByTagName("path").getLength()).isGreaterThanOrEqualTo(4);
    }
}
