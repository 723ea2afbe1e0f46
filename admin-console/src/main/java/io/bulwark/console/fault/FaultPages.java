package io.bulwark.console.fault;

import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;

/** Pages of faults and evidence. */
@Controller
@RequestMapping("/faults")
class FaultPages {
    private final FaultRecord record;

    FaultPages(FaultRecord record) {
        this.record = record;
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

    private void fill(Model model) {
        model.addAttribute("faults", record.list());
        model.addAttribute("hints", record.hints());
    }
}
