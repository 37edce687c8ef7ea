"""A picture of a recording made by ParaView itself, the way a user clicks it together.

usage: pvpython tools/paraview_picture.py FOLDER/RUN.xdmf PICTURE.png [TIME]

Bodies coloured by stress, planes left out, contact forces as arrows. The reader is the one that
ParaView calls "XDMF Reader".
"""
import sys

from paraview.simple import (CellDatatoPointData, ColorBy, CreateView, ExtractBlock,
                             ExtractSurface, GetColorTransferFunction, GetParaViewVersion,
                             GetScalarBar, Glyph, Render, SaveScreenshot, Show, Threshold,
                             XDMFReader)

path, picture = sys.argv[1:3]
run = XDMFReader(FileNames=[path])
times = list(run.TimestepValues)
time = min(times, key=lambda t: abs(t - float(sys.argv[3]))) if len(sys.argv) > 3 else times[-1]

view = CreateView("RenderView")
view.ViewSize = [960, 540]
view.ViewTime = time
view.OrientationAxesVisibility = 0
view.UseColorPaletteForBackground = 0
view.Background = [1, 1, 1]

run.UpdatePipeline(time)
bodies = ExtractBlock(Input=run, Selectors=["/Root/bodies"])
solid = Threshold(Input=bodies, Scalars=["CELLS", "body"], LowerThreshold=-1, UpperThreshold=1e6)
stiff = ExtractSurface(Input=Threshold(Input=solid, Scalars=["CELLS", "von_mises"],
                                       LowerThreshold=0, UpperThreshold=0))
soft = Threshold(Input=solid, Scalars=["CELLS", "von_mises"], LowerThreshold=1e-9,
                 UpperThreshold=1e12)
surface = ExtractSurface(Input=CellDatatoPointData(Input=soft))
surface.UpdatePipeline(time)
grey = Show(stiff, view)
ColorBy(grey, None)
grey.DiffuseColor = [0.85, 0.87, 0.9]
shown = Show(surface, view)
ColorBy(shown, ("POINTS", "von_mises"))
colours = GetColorTransferFunction("von_mises")
colours.ApplyPreset("Viridis (matplotlib)", True)
bar = GetScalarBar(colours, view)
bar.Title, bar.ComponentTitle = "von Mises stress, Pa", ""
bar.TitleColor = bar.LabelColor = [0.1, 0.1, 0.1]
shown.SetScalarBarVisibility(view, True)

contacts = ExtractBlock(Input=run, Selectors=["/Root/contacts"])
contacts.UpdatePipeline(time)
arrows = Glyph(Input=contacts, GlyphType="Arrow", OrientationArray=["POINTS", "force"],
               ScaleArray=["POINTS", "force"], GlyphMode="All Points")
force = contacts.PointData["force"]
largest = max(max(abs(end) for end in force.GetRange(k)) for k in range(3))
arrows.ScaleFactor = 0.15 / largest if largest > 0 else 1.0
red = Show(arrows, view)
ColorBy(red, None)
red.DiffuseColor = [0.84, 0.16, 0.22]

view.CameraPosition = [1.5, -1.3, 0.95]
view.CameraFocalPoint = [0.27, 0.0, 0.3]
view.CameraViewUp = [0, 0, 1]
view.CameraViewAngle = 25
Render(view)
SaveScreenshot(picture, view)
info = run.GetDataInformation()
print("ParaView %s: %s at %g s of %d frames, %d points, %d cells" %
      (GetParaViewVersion(), type(run).__name__, time, len(times), info.GetNumberOfPoints(),
       info.GetNumberOfCells()))
