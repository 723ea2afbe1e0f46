package io.bulwark.console.fault;

import io.bulwark.console.access.SignedIn;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** Pages of faults and evidence. */
@Controller
@RequestMapping("/faults")
class FaultPages {
    private final FaultRecord record;
    private final SignedIn signedIn;

    FaultPages(FaultRecord record, SignedIn signedIn) {
        this.record = record;
        this.signedIn = signedIn;
    }

    @GetMapping
    String list(Model model) {
        fill(model);
        return "fault/faults";
    }

    @GetMapping("/part")
    String part(Model model) {
        fill(model);
        return "fault/faults :: part";
    }

    @GetMapping("/{number}")
    String find(@PathVariable long number, Model model) {
        model.addAttribute("detail", record.find(number));
        return "fault/fault";
    }

    @PostMapping("/forgive")
    String forgive(@RequestParam int node, Model model) {
        signedIn.client().faultyNodes().forgive(node);
        return part(model);
    }

    @PostMapping("/threat/raise")
    String raise(@RequestParam(defaultValue = "") String reason, Model model) {
        signedIn.client().alarms().raise(1, reason);
        return part(model);
    }

    @PostMapping("/threat/lower")
    String lower(@RequestParam(defaultValue = "") String reason, Model model) {
        signedIn.client().alarms().lower(1, reason);
        return part(model);
    }

    private void fill(Model model) {
        model.addAttribute("threat", ThreatView.of(signedIn.client().alarms().state()));
        model.addAttribute("faults", record.list());
        model.addAttribute(
                "found", NodeFaultView.Report.of(signedIn.client().faultyNodes().report()));
        model.addAttribute("hints", record.hints());
    }
}
